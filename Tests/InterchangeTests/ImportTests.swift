import Folio
import Foundation
import Interchange
import TestSupport
import Testing

struct ImportTests {
    @Test func recordsUpdateTheObjectsThatTheyMatchAndMakeOthers() async throws {
        try await withFolder { folder in
            let document = try await Library.make(in: folder)
            let url = try Library.write("isbn,title\n2,Nils\n1,Gösta Berling\n3,Jerusalem\n", "Book.csv", in: folder)
            var options = ImportOptions()
            options.match = ["isbn"]
            let summary = try document.importObjects(from: url, options: options)
            #expect((summary.inserted, summary.updated, summary.unchanged) == (1, 1, 1))
            #expect(try Library.titles(document) == ["Gösta Berling", "Nils", "Jerusalem"])
            #expect(document.hasUnsavedChanges)
            document.context.undoManager?.undo()
            #expect(try Library.titles(document) == ["Gösta", "Nils"])
            try await document.close(.discard)
        }
    }

    @Test func filesReferToEachOtherInAnyOrder() async throws {
        try await withFolder { folder in
            let document = try await Library.make(in: folder)
            let books = try Library.write("isbn,author.name\n3,Astrid\n", "Book.csv", in: folder)
            let authors = try Library.write("name\nAstrid\n", "Author.csv", in: folder)
            let summary = try document.importObjects(from: [books, authors])
            #expect((summary.inserted, summary.created) == (2, 0))
            try await document.close(.discard)
        }
    }

    @Test func anErrorNamesFileAndLineAndChangesNothing() async throws {
        try await withFolder { folder in
            let document = try await Library.make(in: folder)
            let url = try Library.write("isbn,pages\n3,10\n4,many\n", "Book.csv", in: folder)
            let error = try #require(throws: InterchangeError.self) { try document.importObjects(from: url) }
            #expect((error.code, error.path) == ("wrongType", url.path))
            #expect(error.message.hasPrefix("line 3, column 2: "))
            #expect(!document.hasUnsavedChanges)
            #expect(error.localizedDescription.contains("Book.csv"))
            try await document.close()
        }
    }

    @Test func whatProgressThrowsEndsTheImportAndChangesNothing() async throws {
        try await withFolder { folder in
            let document = try await Library.make(in: folder)
            let rows = (1...500).map { "n\($0)" }.joined(separator: "\n")
            let url = try Library.write("isbn\n\(rows)\n", "Book.csv", in: folder)
            var seen: [TransferProgress] = []
            #expect(throws: CancellationError.self) {
                try document.importObjects(from: url) { progress in
                    seen.append(progress)
                    if progress.objects >= 128 { throw CancellationError() }
                }
            }
            #expect(seen.map(\.objects) == [64, 128])
            #expect(!document.hasUnsavedChanges)
            try await document.close()
        }
    }

    @Test func aDocumentThatIsReadTakesNoObjects() async throws {
        try await withFolder { folder in
            let document = try await Library.make(in: folder)
            let url = document.url
            try await document.close()
            let reading = try await PersistentDocument.open(url, mode: .reading)
            let file = try Library.write("isbn\n3\n", "Book.csv", in: folder)
            let error = try #require(throws: InterchangeError.self) { try reading.importObjects(from: file) }
            #expect(error.code == "readOnly")
            try await reading.close()
        }
    }
}
