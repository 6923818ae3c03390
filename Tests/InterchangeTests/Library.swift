import Folio
import Foundation
import TestSupport

/// Books and their authors, for tests of import, export and comparison.
enum Library {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Author", attributes: [.init("name", .string, isOptional: false)],
                relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0)]),
            EntityDefinition(
                "Book", attributes: [.init("isbn", .string), .init("pages", .integer64), .init("title", .string)],
                relationships: [.init("author", to: "Author", inverse: "books")]),
        ])
    }

    /// A saved document with one author and two books.
    static func make(in folder: URL, named name: String = "Library.folio") async throws -> PersistentDocument {
        let document = try await PersistentDocument.create(
            at: folder.appendingPathComponent(name), model: model())
        let context = document.context
        let author = try context.insert("Author")
        author["name"] = "Selma"
        for (isbn, title) in [("1", "Gösta"), ("2", "Nils")] {
            let book = try context.insert("Book")
            book["isbn"] = isbn
            book["title"] = title
            book["author"] = author
        }
        try await document.save()
        return document
    }

    static func titles(_ document: PersistentDocument) throws -> [String] {
        var request = FetchRequest<ManagedObject>(entityName: "Book")
        request.sortDescriptors = [SortKey("isbn")]
        return try document.context.fetch(request).map { "\($0["title"] as? String ?? "nil")" }
    }

    static func write(_ text: String, _ name: String, in folder: URL) throws -> URL {
        let url = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: url)
        return url
    }
}
