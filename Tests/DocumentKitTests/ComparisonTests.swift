import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Schema
import SQLiteKit
import TestSupport
import Testing

/// What counts as a difference, value by value.
struct ComparisonTests {
    private func differences(
        _ folder: URL, _ old: @escaping (ManagedObjectContext) throws -> Void,
        _ new: @escaping (ManagedObjectContext) throws -> Void
    ) async throws -> [ObjectDifference] {
        var documents: [PersistentDocument] = []
        for (name, fill) in [("old", old), ("new", new)] {
            let document = try await PersistentDocument.create(
                at: folder.appendingPathComponent(name), model: Library.model())
            try fill(document.context)
            try await document.save()
            documents.append(document)
        }
        var found: [ObjectDifference] = []
        try DocumentComparison(from: documents[0], to: documents[1]).forEachDifference { found.append($0) }
        for document in documents { try await document.close() }
        return found
    }

    @Test func textIsComparedByItsCodeUnits() async throws {
        try await withFolder { folder in
            let found = try await differences(folder) {
                try $0.insert("Tag")["name"] = "é"
            } _: {
                try $0.insert("Tag")["name"] = "e\u{301}"
            }
            #expect(found.map(\.object) == ["Tag/p1"])
        }
    }

    @Test func largeValuesAreComparedByTheirBytes() async throws {
        try await withFolder { folder in
            var other = Library.cover
            other[other.count - 1] ^= 1
            let same = try await differences(folder) {
                try $0.insert("Book")["cover"] = Library.cover
            } _: {
                try $0.insert("Book")["cover"] = Library.cover
            }
            #expect(same.isEmpty)
            try FileManager.default.removeItem(at: folder.appendingPathComponent("old"))
            try FileManager.default.removeItem(at: folder.appendingPathComponent("new"))
            let found = try await differences(folder) {
                try $0.insert("Book")["cover"] = Library.cover
            } _: {
                try $0.insert("Book")["cover"] = other
            }
            #expect(found.first?.properties.map(\.name) == ["cover"])
        }
    }

    @Test func anOrderIsComparedWhereThereIsOne() async throws {
        try await withFolder { folder in
            func fill(_ context: ManagedObjectContext, _ order: [Int]) throws {
                let author = try context.insert("Author"), books = try [context.insert("Book"), context.insert("Book")]
                author["name"] = "A"
                try context.obtainPermanentIDs(for: books)
                author["books"] = order.map { books[$0] }
            }
            let found = try await differences(folder) {
                try fill($0, [0, 1])
            } _: {
                try fill($0, [1, 0])
            }
            #expect(found.map(\.object) == ["Author/p1"])
            #expect(found.first?.properties.map(\.name) == ["books"])
        }
    }

    /// Frameworks of old kept some links at one end; a document that has the same link at both ends
    /// has the same link.
    @Test(arguments: [("ZALPHA", "one"), ("ZBETA", "one")]) func aLinkThatIsKeptAtOneEndIsTheSameLink(
        emptied table: String, key: String
    ) async throws {
        try await withFolder { folder in
            let model = try ManagedObjectModel(entities: [
                EntityDefinition("Alpha", relationships: [.init("one", to: "Beta", inverse: "one")]),
                EntityDefinition("Beta", relationships: [.init("one", to: "Alpha", inverse: "one")]),
            ])
            for (name, count) in [("old.folio", 1), ("new.folio", 1), ("unlinked.folio", 0)] {
                let document = try await PersistentDocument.create(
                    at: folder.appendingPathComponent(name), model: model)
                let alpha = try document.context.insert("Alpha"), beta = try document.context.insert("Beta")
                if count > 0 { alpha["one"] = beta }
                try await document.save()
                try await document.close()
            }
            let store = try #require(
                try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/old.folio").first {
                    $0.hasSuffix(".sqlite")
                })
            let copy = folder.path + "/old.sqlite"
            try FileManager.default.copyContents(
                of: URL(fileURLWithPath: folder.path + "/old.folio/" + store), to: URL(fileURLWithPath: copy))
            let connection = try Connection(copy, .readWrite)
            try connection.execute("UPDATE \(table) SET ZONE = NULL")
            try connection.close()
            func differences(_ names: [String]) async throws -> [String] {
                var documents: [PersistentDocument] = []
                for name in names {
                    documents.append(
                        try await PersistentDocument.open(folder.appendingPathComponent(name), mode: .reading))
                }
                var found: [String] = []
                try DocumentComparison(from: documents[0], to: documents[1]).forEachDifference {
                    found.append($0.object)
                }
                for document in documents { try await document.close() }
                return found
            }
            #expect(try await differences(["old.sqlite", "new.folio"]) == [])
            #expect(try await differences(["new.folio", "old.sqlite"]) == [])
            #expect(try await differences(["unlinked.folio", "new.folio"]) == ["Alpha/p1", "Beta/p1"])
        }
    }
}

extension ComparisonTests {
    @Test func manyObjectsAreMergedBatchByBatch() async throws {
        try await withFolder { folder in
            let found = try await differences(folder) { context in
                for number in 1...5_000 { try context.insert("Tag")["name"] = "\(number)" }
            } _: { context in
                for number in 1...5_003 { try context.insert("Tag")["name"] = number == 3_000 ? "other" : "\(number)" }
            }
            #expect(found.map(\.object) == ["Tag/p3000", "Tag/p5001", "Tag/p5002", "Tag/p5003"])
            #expect(found.map(\.change) == [.changed, .added, .added, .added])
        }
    }
}
