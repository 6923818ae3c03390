import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Query
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

/// Comparing two states of one store by the pages that differ.
struct ChangedRowsTests: MergesCopies {
    private static let bookCount = 12_000

    private static func fill(_ context: ManagedObjectContext) throws {
        try Library.fill(context)
        let tags = try (0..<40).map { number in
            let tag = try context.insert("Tag")
            tag["name"] = "tag \(number)"
            return tag
        }
        for number in 0..<bookCount {
            let book = try context.insert(number % 3 == 0 ? "Novel" : "Book")
            book["title"] = "title \(number)" + (number % 500 == 0 ? String(repeating: "long ", count: 3_000) : "")
            if number % 100 == 0 { book["tags"] = Set([tags[number / 100 % 40]]) }
        }
    }

    private func withStores(
        _ old: URL, _ new: URL, _ body: (SQLitePersistentStore, SQLitePersistentStore) throws -> Void
    ) throws {
        let before = try DocumentSession.read(old.path, model: .own)
        defer { try? before.close() }
        let after = try DocumentSession.read(new.path, model: .own)
        defer { try? after.close() }
        try body(#require(before.sqliteStore), #require(after.sqliteStore))
    }

    private func differences(
        _ old: SQLitePersistentStore, _ new: SQLitePersistentStore, in rows: ChangedRows? = nil
    ) throws -> [String] {
        var found: [String] = []
        try DocumentComparison(from: old, to: new).forEachDifference(old, new, in: rows) { difference in
            let properties = difference.properties.map { "\($0.name): \($0.old.text) → \($0.new.text)" }
            found.append("\(difference.change) \(difference.object) \(properties)")
        }
        return found
    }

    /// How many rows are compared.
    private func count(_ rows: ChangedRows, _ store: SQLitePersistentStore) -> Int {
        let model = store.identity.model
        return Set(model.entities.map(\.rootIndex)).reduce(0) { $0 + rows.keys(rootIndex: $1).count }
    }

    @Test func onlyRowsOfPagesThatDifferAreCompared() async throws {
        try await withCopies(filledBy: Self.fill) { old, new in
            try await edit(new) { context in
                try book(context, "title 7")["title"] = "changed"
                context.delete(try book(context, "title 2001"))
                try context.insert("Novel")["title"] = "added"
                // Only the end of a text that continues in overflow pages.
                let long = try #require(
                    try values(context, "Book", "title").first { $0.hasPrefix("title 3000long") })
                try book(context, long)["title"] = String(long.dropLast()) + "!"
                let tagged = try book(context, "title 100")
                tagged["tags"] = Set([try object(context, "Tag", "name", "tag 9")])
                tagged["similar"] = Set([try book(context, "title 5")])
                // The order of members is kept in their rows.
                let author = try object(context, "Author", "name", "Eliot")
                if case .list(let books) = try author.propertyValue(forKey: "books") {
                    try author.setPropertyValue(.list(books.reversed()), forKey: "books")
                }
            }
            try withStores(old, new) { before, after in
                let rows = try #require(try after.changedRows(since: before)), all = try differences(before, after)
                #expect(try differences(before, after, in: rows) == all)
                #expect(all.count == 7, "\(all)")
                #expect(count(rows, after) < Self.bookCount / 4)
                let back = try #require(try before.changedRows(since: after))
                #expect(try differences(after, before, in: back) == differences(after, before))
            }
        }
    }
}

extension ChangedRowsTests {
    @Test func equalStoresHaveNoRowsToCompare() async throws {
        try await withCopies(filledBy: Self.fill) { old, new in
            try withStores(old, new) { before, after in
                let rows = try #require(try after.changedRows(since: before))
                #expect(count(rows, after) == 0)
            }
        }
    }

    @Test func whereMostPagesDifferAllRowsAreRead() async throws {
        try await withCopies(filledBy: Self.fill) { old, new in
            try await edit(new) { context in
                for book in try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")) {
                    book["pages"] = 300
                }
            }
            try withStores(old, new) { before, after in
                let rows = try after.changedRows(since: before)
                #expect(rows == nil)
            }
        }
    }

    @Test func tablesOfOtherColumnsAreNotComparedByPages() async throws {
        try await withFolder { folder in
            func document(_ name: String, _ attributes: [AttributeDescription]) async throws -> URL {
                let url = folder.appendingPathComponent(name)
                let model = try ManagedObjectModel(
                    entities: [EntityDefinition("Book", attributes: attributes)], versionIdentifiers: ["1"])
                let document = try await PersistentDocument.create(at: url, model: model)
                try document.context.insert("Book")["title"] = "a"
                try await document.close(.save)
                return url
            }
            let old = try await document("old", [.init("title", .string)])
            let new = try await document("new", [.init("title", .string), .init("pages", .integer64)])
            try withStores(old, new) { before, after in
                let rows = try after.changedRows(since: before)
                #expect(rows == nil)
            }
        }
    }
}

extension PropertyValue {
    fileprivate var text: String {
        if case .list(let values) = self { return values.map(\.text).joined(separator: ",") }
        if case .object(let id) = self { return "\(id.entity.name)/p\(id.key)" }
        return "\(self)"
    }
}
