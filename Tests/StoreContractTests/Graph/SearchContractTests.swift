import Foundation
import ObjectGraph
import Query
import Schema
import Testing

/// SEARCH and its order on every store, with unsaved changes and without.
struct SearchContractTests {
    private static func model() throws -> ManagedObjectModel {
        var title = AttributeDescription("title", .string), text = AttributeDescription("text", .string)
        title.isFullTextIndexed = true
        text.isFullTextIndexed = true
        return try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note", attributes: [title, text], relationships: [.init("folder", to: "Folder", inverse: "notes")]),
            EntityDefinition(
                "Folder", attributes: [.init("name", .string)],
                relationships: [.init("notes", to: "Note", inverse: "folder", maxCount: 0, deleteRule: .cascade)]),
        ])
    }

    private func titles(_ format: String, _ order: String, _ context: ManagedObjectContext) throws -> [String?] {
        var request = FetchRequest<ManagedObject>(entityName: "Note")
        request.predicate = try FetchPredicate(format: format)
        request.sortDescriptors = [.relevance(to: order), SortKey("title")]
        return try context.fetch(request).map { $0.text("title") }
    }

    @Test(arguments: StoreKind.allCases) func unsavedAndSavedTextsAreFoundAndRankedAlike(kind: StoreKind) throws {
        try GraphFixture.run(kind, model: Self.model()) { fixture in
            let context = fixture.context()
            let folder = try context.make("Folder", ["name": "dune"])
            try context.make(
                "Note", ["title": "sand", "text": "a long story about a dune by the sea", "folder": folder])
            let best = try context.make("Note", ["title": "Dune", "text": "dune"])
            try context.make("Note", ["title": "sea", "text": nil])
            for isSaved in [false, true] {
                #expect(try titles("SELF SEARCH 'dune'", "dune", context) == ["Dune", "sand"])
                #expect(try titles("NOT SELF SEARCH 'dune'", "dune", context) == ["sea"])
                #expect(try titles("SELF SEARCH '\"by the sea\"'", "sea", context) == ["sand"])
                #expect(
                    try context.count("Folder", matching: FetchPredicate(format: "ANY notes.title SEARCH 'sand'")) == 1)
                if !isSaved { try context.save() }
            }
            best["title"] = "sea"
            best["text"] = nil
            try context.make("Note", ["title": "new", "text": "dune dune"])
            #expect(try titles("SELF SEARCH 'dune'", "dune", context) == ["new", "sand"])
            context.delete(folder)
            try context.save()
            let again = try fixture.reopened()
            #expect(try titles("SELF SEARCH 'dune'", "dune", again) == ["new"])
            #expect(try titles("SELF SEARCH 'sea'", "sea", again) == ["sea", "sea"])
        }
    }
}
