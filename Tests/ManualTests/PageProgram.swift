import Foundation
import TestSupport

/// The Swift blocks of a page as one program, compiled against this build's modules, as a package
/// that depends on Folio compiles its own.
struct PageProgram {
    private let page: ManualPage
    /// The numbers of the blocks, hidden ones among them.
    let indices: [Int]

    init(_ page: ManualPage) {
        self.page = page
        indices = page.blocks.indices.filter {
            ["swift", "hidden swift"].contains(page.blocks[$0].language) && page.blocks[$0].reason == nil
        }
    }

    /// What separates the outputs of the blocks.
    private static let mark = "\u{1E}"

    private func source(withMarks: Bool) -> String {
        var lines = ["import Folio", "import Foundation"]
        for index in indices {
            let block = page.blocks[index]
            if withMarks { lines.append(#"print("\u{1E}\#(index)")"#) }
            lines.append(
                "#sourceLocation(file: \"\(page.file.lastPathComponent)\", line: \(block.range.lowerBound + 1))")
            lines += page.text(block)
            lines.append("#sourceLocation()")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// - Returns: The messages of the compiler, where it refuses.
    func compile(to program: URL, in sandbox: ManualSandbox, withMarks: Bool) throws -> String? {
        let source = sandbox.file("main.swift")
        try self.source(withMarks: withMarks).write(to: source, atomically: true, encoding: .utf8)
        let products = builtProgram("folio").deletingLastPathComponent()
        let maps =
            ["CSQLite", "CArchive", "CZlib", "CDeflate"].map {
                Manual.root.appendingPathComponent("Sources/\($0)/module.modulemap").path
            } + [products.appendingPathComponent("CSystem.build/module.modulemap").path]
        let outcome = try sandbox.run(
            [
                "swiftc", "-swift-version", "6", "-warnings-as-errors", "-enable-upcoming-feature",
                "NonisolatedNonsendingByDefault", "-I", products.appendingPathComponent("Modules").path,
                "-load-plugin-executable", products.appendingPathComponent("FolioMacros-tool").path + "#FolioMacros",
                source.path, "-o", program.path, "-lsqlite3", "-larchive", "-lz", "-ldeflate",
            ] + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + Self.objects(in: products))
        return outcome.exit == 0 ? nil : outcome.output
    }

    /// The object files of `Interchange`, `Folio` and the modules below them, of those that the
    /// command is linked with: the folders of the build may hold objects of files that are gone.
    private static func objects(in products: URL) throws -> [String] {
        let list = products.appendingPathComponent("folio.product/Objects.LinkFileList")
        let folders = try modules().map { "/\($0).build/" }
        return try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map(String.init).filter { path in
            folders.contains { path.contains($0) }
        }
    }

    /// The modules that `Folio` and `Interchange` are linked with, as the manifest's table has
    /// them.
    private static func modules() throws -> [String] {
        let manifest = try String(contentsOf: Manual.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let row = /\(\s*"(?<name>\w+)"\s*,\s*\.(?<kind>\w+)(?:\([^)]*\))?\s*,\s*\[(?<imports>[^\]]*)\]\s*\)/
        var imports: [String: [String]] = [:]
        for match in manifest.matches(of: row) where ["swift", "c"].contains(match.output.kind) {
            imports[String(match.output.name)] = match.output.imports.matches(of: /"(\w+)"/).map { String($0.output.1) }
        }
        var modules: Set<String> = [], next = ["Folio", "Interchange"]
        while let module = next.popLast() {
            if modules.insert(module).inserted { next += imports[module] ?? [] }
        }
        return modules.filter { imports[$0] != nil }.sorted()
    }

    /// Runs the program.
    /// - Returns: What each block printed, by its number; all of it in one entry, by -1, where the
    ///   program failed.
    func run(_ program: URL, in sandbox: ManualSandbox) throws -> [Int: [String]] {
        let outcome = try sandbox.run([program.path])
        guard outcome.exit == 0 else { return [-1: PrintedText.lines(outcome.output)] }
        var outputs: [Int: [String]] = [:]
        for part in outcome.output.components(separatedBy: Self.mark).dropFirst() {
            let lines = PrintedText.lines(part)
            guard let number = lines.first.flatMap({ Int($0) }) else { continue }
            outputs[number] = Array(lines.dropFirst())
        }
        return outputs
    }
}
