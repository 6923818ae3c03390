import Foundation
import TestSupport
import Testing

/// The header is the interface. That types agree is checked by the compiler, since every function
/// is declared to implement the header's.
struct HeaderTests {
    /// The functions that the header declares; those that it defines itself left out.
    static func functions() throws -> Set<String> {
        let text = try String(contentsOf: CProgram.header, encoding: .utf8)
            .replacing(/\/\*[\s\S]*?\*\//, with: "").replacing(/static inline[\s\S]*?\n}\n/, with: "")
        return Set(text.matches(of: /(?m)^(?!typedef)[a-z][\w *]*?(folio_\w+)\(/).map { String($0.output.1) })
    }

    private func sources(of folder: String) throws -> String {
        let url = CProgram.root.appendingPathComponent(folder)
        let files = try #require(FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }.filter { ["swift", "c", "h"].contains($0.pathExtension) }.map {
            try String(contentsOf: $0, encoding: .utf8)
        }.joined(separator: "\n")
    }

    @Test func everyFunctionOfTheHeaderIsImplementedAndNoOther() throws {
        let implemented = try sources(of: "Sources/FolioC").matches(
            of: /@c @implementation\npackage func (folio_\w+)\(/
        ).map { String($0.output.1) }
        #expect(implemented.count == Set(implemented).count)
        let declared = try Self.functions()
        #expect(declared.count > 80)
        #expect(declared == Set(implemented))
    }

    @Test func everyFunctionOfTheHeaderIsTestedInC() throws {
        let programs = try sources(of: "Tests/FolioCTests/Programs")
        for name in try Self.functions() { #expect(programs.contains("\(name)("), "\(name) is called nowhere") }
    }

    @Test(.enabled(if: CProgram.hasProgram("nm"))) func theLibraryHasEveryFunctionOfTheHeader() throws {
        try withTemporaryDirectory { folder in
            let symbols = try CProgram.run(["nm", "-D", "--defined-only", CProgram.library.path], in: folder)
            let names = Set(
                symbols.output.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) })
            #expect(try Self.functions().subtracting(names).isEmpty)
        }
    }

    @Test(.enabled(if: CProgram.hasProgram("cc")), arguments: ["c99", "c11", "gnu17"])
    func theHeaderStandsByItself(_ standard: String) throws {
        try withTemporaryDirectory { folder in
            let outcome = try CProgram.run(
                [
                    "cc", "-std=\(standard)", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                    CProgram.header.path,
                ],
                in: folder)
            #expect(outcome.exit == 0, "\(outcome.output)")
        }
    }
}
