import Coding
import Folio
import Foundation
import Interchange
import TestSupport
import Testing

struct ExportTests {
    @Test func anExportIsImportedAgainByAnEmptyDocument() async throws {
        try await withFolder { folder in
            let document = try await Library.make(in: folder)
            for format in [ExportFormat.json, .jsonLines] {
                let url = folder.appendingPathComponent("library.\(format.rawValue)")
                try await document.export(to: url, as: format)
                let copy = try await PersistentDocument.create(
                    at: folder.appendingPathComponent("\(format.rawValue).folio"), model: Library.model())
                #expect(try copy.importObjects(from: url).inserted == 3)
                #expect(try Library.titles(copy) == ["Gösta", "Nils"])
                try await copy.close(.discard)
            }
            try await document.close()
        }
    }

    @Test func unsavedChangesAreExportedAndStayUnsaved() async throws {
        try await withFolder { folder in
            let document = try await Library.make(in: folder)
            let book = try document.context.insert("Book")
            book["isbn"] = "3"
            let url = folder.appendingPathComponent("Book.csv")
            var last: TransferProgress?
            try await document.export(to: url, as: .csv, entity: "Book") { last = $0 }
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 4 && lines[0] == "id,isbn,pages,title,author")
            #expect(last?.objects == 3 && last?.total == 3 && last?.fraction == 1)
            #expect(document.hasUnsavedChanges)
            try await document.close(.discard)
        }
    }

    @Test func aFailedExportLeavesTheFileThatWasThere() async throws {
        try await withFolder { folder in
            let document = try await Library.make(in: folder)
            let url = try Library.write("kept", "out.csv", in: folder)
            let error = await #expect(throws: InterchangeError.self) { try await document.export(to: url, as: .csv) }
            #expect(error?.message == "CSV holds the objects of one entity")
            await #expect(throws: CancellationError.self) {
                try await document.export(to: url, as: .json) { _ in throw CancellationError() }
            }
            #expect(try String(contentsOf: url, encoding: .utf8) == "kept")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(!names.contains { $0.hasPrefix(".tmp-") })
            try await document.close()
        }
    }
}
