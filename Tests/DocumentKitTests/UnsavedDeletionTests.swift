import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// New objects that are deleted before they are saved, and what leads to them.
struct UnsavedDeletionTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note", attributes: [.init("text", .string)],
                relationships: [.init("next", to: "Note"), .init("others", to: "Note", maxCount: 0)])
        ])
    }

    @Test(arguments: [DocumentForm.package, .archive, .store, .binaryStore, .xmlStore])
    func linksWithoutAnInverseToOneAreGone(_ form: DocumentForm) async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("notes"), model = try Self.model()
            let document = try await PersistentDocument.create(at: url, model: model, form: form)
            let kept = try document.context.insert("Note")
            kept["text"] = "kept"
            try await document.save()
            // From an object that is saved, and from a new one.
            let new = try document.context.insert("Note"), other = try document.context.insert("Note")
            other["text"] = "new"
            kept["next"] = new
            other["next"] = new
            for note in [kept, other] { note["others"] = Set([new]) }
            document.context.delete(new)
            try await document.close(.save)
            try await DocumentOpening.withDocument(at: url, fitting: .model(model)) { document in
                let notes = try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
                #expect(Set(notes.map { $0["text"] as? String }) == ["kept", "new"])
                for note in notes {
                    #expect(try note.propertyValue(forKey: "next") == .null)
                    #expect(try note.propertyValue(forKey: "others") == .list([]))
                }
            }
            #expect(try DocumentVerifier.verify(url, isThorough: true, model: model).isEmpty)
        }
    }
}
