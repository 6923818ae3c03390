import Foundation
import TestSupport

/// The package's source, read as text.
struct House {
    struct Module {
        let name: String
        let imports: Set<String>
        let files: [URL]
    }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The rows of the tables `modules`, `testModules` and `testTools` of the manifest.
    static func modules() throws -> [Module] {
        let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        // ("Name", .kind(…), ["Import", …]) or ("Name", ["Import", …]), the list over several lines
        // or not.
        let row = /\(\s*"(?<name>\w+)"\s*,\s*(?:\.\w+(?:\([^)]*\))?\s*,\s*)?\[(?<imports>[^\]]*)\]\s*\)/
        return try manifest.matches(of: row).map { match in
            let name = String(match.output.name)
            let imports = match.output.imports.matches(of: /"(\w+)"/).map { String($0.output.1) }
            let isTest = name.hasSuffix("Tests")
            let folders = ["Sources", "Sources/Plugins", "Tests"].map { root.appendingPathComponent("\($0)/\(name)") }
            let folder = folders.first { FileManager.default.fileExists(atPath: $0.path) } ?? root
            return Module(
                name: name, imports: Set(imports + (isTest ? ["TestSupport"] : [])), files: try swiftFiles(in: folder))
        }
    }

    /// What lies at the top: what the project keeps there or, where git can't tell, what is found.
    ///
    /// A compiler that may not write into its folder for temporary files leaves some in the current
    /// one.
    static func topLevel() throws -> Set<String> {
        let git = Process(), output = privatePipe()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        git.arguments = ["git", "-c", "safe.directory=*", "-C", root.path, "ls-files", "-z"]
        git.standardOutput = output
        git.standardError = FileHandle.nullDevice
        try git.run()
        let paths = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(
            separator: "\0")
        git.waitUntilExit()
        guard git.terminationStatus == 0, !paths.isEmpty else {
            return Set(try FileManager.default.contentsOfDirectory(atPath: root.path))
        }
        return Set(paths.map { String($0.prefix { $0 != "/" }) })
    }

    static func swiftFiles(in folder: URL) throws -> [URL] {
        guard let enumerator = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
            throw CocoaError(.fileReadNoSuchFile)
        }
        return enumerator.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    static func lines(of file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The modules that a file imports.
    static func imports(of file: URL) throws -> [String] {
        try lines(of: file).filter { $0.utf8.count < 200 && $0.contains("import ") }.compactMap { line in
            let pattern =
                /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
            return line.firstMatch(of: pattern).map { String($0.output.1) }
        }
    }

    /// A file's path from the root, for messages.
    static func name(of file: URL) -> String {
        String(file.standardizedFileURL.path.dropFirst(root.standardizedFileURL.path.count + 1))
    }
}
