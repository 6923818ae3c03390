import DocumentKit
import Foundation
import ObjectGraph
import TestSupport
import Testing

/// Events after which everything is as it was before.
struct EditsWithoutEffectTests {
    private func withBook(_ body: (PersistentDocument, ManagedObject) async throws -> Void) async throws {
        try await withFolder { folder in
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent("A.folio"), model: Library.model())
            let book = try document.context.insert("Book")
            book["title"] = "x"
            book["pages"] = 3
            try await document.save()
            document.context.undoManager?.removeAllActions()
            try await body(document, book)
            try await document.close(.discard)
        }
    }

    @Test func settingTheSameValueIsNoEdit() async throws {
        try await withBook { document, book in
            book["title"] = "x"
            document.context.processPendingChanges()
            #expect(!document.hasUnsavedChanges && document.context.undoManager?.canUndo == false)
            book["title"] = "y"
            book["title"] = "x"
            book["pages"] = 3
            document.context.processPendingChanges()
            #expect(!document.hasUnsavedChanges && document.context.undoManager?.canUndo == false)
        }
    }

    @Test func whatWasUndoneCanStillBeRedone() async throws {
        try await withBook { document, book in
            book["title"] = "y"
            document.context.undo()
            book["pages"] = 3
            document.context.processPendingChanges()
            document.context.redo()
            #expect(book["title"] as? String == "y" && document.hasUnsavedChanges)
        }
    }

    @Test func oneOtherValueIsAnEdit() async throws {
        try await withBook { document, book in
            book["title"] = "x"
            book["pages"] = 4
            document.context.processPendingChanges()
            #expect(document.hasUnsavedChanges)
            document.context.undo()
            #expect(book["pages"] as? Int == 3 && !document.hasUnsavedChanges)
            #expect(document.context.undoManager?.canUndo == false)
        }
    }

    @Test func settingAValueBackInAnotherEventIsAnEdit() async throws {
        try await withBook { document, book in
            for title in ["y", "x"] {
                book["title"] = title
                document.context.processPendingChanges()
            }
            #expect(document.hasUnsavedChanges)
            document.context.undo()
            #expect(book["title"] as? String == "y")
        }
    }
}
