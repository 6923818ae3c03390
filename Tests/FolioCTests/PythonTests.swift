import Foundation
import TestSupport
import Testing

/// The Python package over the C library.
@Suite(.enabled(if: CProgram.hasProgram("python3") && !runsUnderSanitizer)) struct PythonTests {
    private func run(_ words: [String], in folder: URL) throws -> Subprocess {
        try CProgram.run(
            words, in: folder,
            variables: [
                "FOLIO_LIBRARY": CProgram.library.path, "FOLIO_MODELS": CProgram.models,
                "PYTHONPATH": CProgram.python.path, "PYTHONDONTWRITEBYTECODE": "1",
            ])
    }

    @Test func thePackageDoesWhatADocumentBasedApplicationDoes() throws {
        try withTemporaryDirectory { folder in
            let outcome = try run(
                [
                    "python3", "-m", "unittest", "discover", "-s",
                    CProgram.programs.appendingPathComponent("python").path,
                ],
                in: folder)
            #expect(outcome.exit == 0, "\(outcome.output)")
            #expect(outcome.output.contains(/Ran \d\d tests/) && outcome.output.hasSuffix("OK\n"), "\(outcome.output)")
        }
    }

    @Test func thePackageKnowsEveryFunctionOfTheHeader() throws {
        try withTemporaryDirectory { folder in
            let outcome = try run(
                ["python3", "-c", "from folio import _library; print(*_library._functions)"], in: folder)
            #expect(
                Set(outcome.output.split(whereSeparator: \.isWhitespace).map(String.init))
                    == (try HeaderTests.functions()))
        }
    }

    /// The structures of the package have the sizes and offsets of the header's.
    @Test(.enabled(if: CProgram.hasProgram("cc"))) func theStructuresOfThePackageAreThoseOfTheHeader() throws {
        try withTemporaryDirectory { folder in
            let names = [
                "folio_reference": "Reference", "folio_value": "Value", "folio_member": "Member",
                "folio_open_options": "OpenOptions", "folio_document_info": "DocumentInfo", "folio_policy": "Policy",
                "folio_version_info": "VersionInfo", "folio_entity_info": "EntityInfo",
                "folio_property_info": "PropertyInfo", "folio_query": "Query", "folio_change": "Change",
                "folio_undo_state": "UndoState", "folio_import_options": "ImportOptions",
                "folio_import_report": "ImportReport",
            ]
            let sorted = names.sorted { $0.key < $1.key }
            let source = folder.appendingPathComponent("sizes.c")
            let prints = sorted.map { "printf(\"%zu \", sizeof(\($0.key)));" }.joined()
            try "#include <folio.h>\n#include <stdio.h>\nint main(void) { \(prints) }\n".write(
                to: source, atomically: true, encoding: .utf8)
            let binary = folder.appendingPathComponent("sizes").path
            let include = "-I\(CProgram.header.deletingLastPathComponent().path)"
            let made = try CProgram.run(["cc", include, source.path, "-o", binary], in: folder)
            try #require(made.exit == 0, "\(made.output)")
            let inC = try CProgram.run([binary], in: folder).output
            let kinds = sorted.map { "_library.\($0.value)" }.joined(separator: ", ")
            let inPython = try run(
                ["python3", "-c", "import ctypes; from folio import _library; print(*map(ctypes.sizeof, [\(kinds)]))"],
                in: folder)
            #expect(inC.split(separator: " ").count == names.count)
            #expect(inC.split(separator: " ") == inPython.output.dropLast().split(separator: " "))
        }
    }
}
