import AtomicStores
import Foundation
import Query
import RowMemory
import Schema
import Storage
import TestSupport
import Testing

/// Files whose references lead to objects of entities that their relationships can't lead to.
struct StrayReferenceTests {
    /// A shelf that leads to a film, and a song beside the film. The film's last property stands
    /// where the other entities have none.
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Film", superentityName: "Item",
                    attributes: [.init("aspect", .double), .init("length", .double), .init("year", .integer16)]),
                EntityDefinition("Item", attributes: [.init("title", .string)]),
                EntityDefinition(
                    "Shelf", attributes: [.init("name", .string)], relationships: [.init("first", to: "Film")]),
                EntityDefinition("Song", superentityName: "Item"),
            ], versionIdentifiers: ["1"])
    }

    private func fill(_ store: any StoreBackend) throws {
        let entities = store.identity.model.entities
        func slot(_ entity: Int, _ name: String) throws -> RowSlot {
            store.layouts[entity].slots[try #require(entities[entity].propertyIndex(named: name))]
        }
        var changes = ChangeSet()
        func insert(_ name: String, _ key: Int64, _ fill: (Row) throws -> Void) throws {
            let entity = try #require(store.identity.model.entity(named: name))
            var rows = RowBatch()
            try fill(rows.appendRow(store.layouts[entity.index], key: key, version: 0))
            changes.insertions.append(.init(entityIndex: entity.index, rows: rows))
        }
        let film = try #require(store.identity.model.entity(named: "Film")).index,
            shelf = try #require(store.identity.model.entity(named: "Shelf")).index
        let song = try #require(store.identity.model.entity(named: "Song")).index
        try insert("Film", -1) { $0.setInt(1927, try slot(film, "year")) }
        try insert("Song", -2) { $0.setString("Song", try slot(song, "title")) }
        try insert("Shelf", -3) {
            $0.setReference(ObjectReference(key: -1, entityIndex: film), try slot(shelf, "first"))
        }
        _ = try store.apply(changes)
    }

    /// Follows the reference in each way that a request can.
    private func follow(_ store: any StoreBackend) throws -> Int {
        let entity = try #require(store.identity.model.entity(named: "Shelf"))
        let year = try FetchPredicate(format: "first.year > 0 OR first.title == 'x'").validated(
            against: entity, in: store.identity.model, store: store.identity)
        let found = try store.count(RowRequest(entityIndex: entity.index, selection: .matching(year)))
        _ = try store.rows(
            RowRequest(entityIndex: entity.index, sortKeys: [SortKey("first.year"), SortKey("first.title")]))
        return found
    }

    @Test(arguments: ["Song", "Shelf"]) func anXMLStoreWithOneIsRefused(other: String) throws {
        try withTemporaryDirectory { folder in
            let description = PersistentStoreDescription(url: folder.appendingPathComponent("a.xml"), type: .xml),
                factory = LibraryFixture.Format.xml.factory
            let store = try factory.open(description, model())
            try fill(store)
            #expect(try follow(store) == 1)
            try store.close()
            let text = try String(contentsOf: description.url, encoding: .utf8)
            func id(_ type: String) throws -> Substring {
                try #require(text.firstMatch(of: try Regex("type=\"\(type)\" id=\"(z[0-9]+)\""))?[1].substring)
            }
            let forged = text.replacingOccurrences(
                of: "idrefs=\"\(try id("FILM"))\"", with: "idrefs=\"\(try id(other.uppercased()))\"")
            #expect(forged != text)
            try Data(forged.utf8).write(to: description.url)
            let error = #expect(throws: StorageError.self) { try factory.open(description, model()) }
            #expect(error?.code == .damaged && error?.keys == ["first"])
            #expect(
                error?.message.contains("Shelf.first leads to an object of the entity \(other)") == true,
                "\(String(describing: error))")
        }
    }

    /// The checksums are right. What is not refused leads nowhere, or to another film.
    @Test func aForgedBinaryStoreIsRefusedOrRead() throws {
        try withTemporaryDirectory { folder in
            let description = PersistentStoreDescription(url: folder.appendingPathComponent("a.binary"), type: .binary),
                factory = LibraryFixture.Format.binary.factory
            let store = try factory.open(description, model())
            try fill(store)
            try store.close()
            let bytes = [UInt8](try Data(contentsOf: description.url))
            var refused = 0, lost = 0
            for index in ForgedStore.bodyStart(bytes)..<bytes.count {
                for value in [bytes[index] &+ 1, bytes[index] &+ 2, bytes[index] &+ 3, bytes[index] &- 1] {
                    try Data(ForgedStore.replacing(index, in: bytes, by: value)).write(to: description.url)
                    do {
                        let store = try factory.open(description, model())
                        if try follow(store) == 0, let store = store as? AtomicPersistentStore,
                            try !store.danglingReferences().isEmpty
                        {
                            lost += 1
                        }
                    } catch let error as StorageError {
                        if error.keys == ["first"] { refused += 1 }
                    }
                }
            }
            #expect(refused > 0, "no change of the entity was tried")
            #expect(lost > 0, "no change of the number was tried")
        }
    }
}
