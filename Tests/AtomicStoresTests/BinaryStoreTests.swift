import AtomicStores
import Foundation
import Query
import RowMemory
import Schema
import Storage
import Testing
import TestSupport

struct BinaryStoreTests {
    @Test func everyDamagedByteIsNoticed() throws {
        try LibraryFixture.run(.binary) { fixture in
            _ = try fixture.store.apply(fixture.changes("A"))
            let bytes = [UInt8](try Data(contentsOf: fixture.url))
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(index % 8)
                try Data(damaged).write(to: fixture.url)
                let error = #expect(throws: StorageError.self, "byte \(index)") { _ = try fixture.open() }
                #expect(
                    [.damaged, .notAStore, .newer].contains(error?.code), "byte \(index): \(String(describing: error))")
            }
        }
    }

    @Test(arguments: LibraryFixture.Format.allCases) func objectsAreCountedWithoutTheModel(
        format: LibraryFixture.Format
    ) throws {
        try LibraryFixture.run(format) { fixture in
            #expect(try AtomicPersistentStore.objectCounts(at: fixture.url) == ["Author": 0, "Book": 0])
            for title in ["A", "B", "C"] { _ = try fixture.store.apply(fixture.changes(title)) }
            #expect(try AtomicPersistentStore.objectCounts(at: fixture.url) == ["Author": 3, "Book": 3])
            let bytes = try Data(contentsOf: fixture.url)
            try bytes.prefix(bytes.count - 20).write(to: fixture.url)
            _ = #expect(throws: StorageError.self) { try AtomicPersistentStore.objectCounts(at: fixture.url) }
        }
    }

    @Test func aTruncatedOrLongerStoreIsRefused() throws {
        try LibraryFixture.run(.binary) { fixture in
            _ = try fixture.store.apply(fixture.changes("A"))
            let bytes = try Data(contentsOf: fixture.url)
            for count in stride(from: 1, to: bytes.count, by: 7) {
                try bytes.prefix(count).write(to: fixture.url)
                _ = #expect(throws: StorageError.self) { _ = try fixture.open() }
            }
            try (bytes + Data([0])).write(to: fixture.url)
            _ = #expect(throws: StorageError.self) { _ = try fixture.open() }
        }
    }

    /// Checksums keep chance out, not malice: here they are right and the rest is not.
    @Test func aForgedStoreIsRefusedOrRead() throws {
        try LibraryFixture.run(.binary) { fixture in
            _ = try fixture.store.apply(fixture.changes("A"))
            let bytes = [UInt8](try Data(contentsOf: fixture.url))
            let start = ForgedStore.bodyStart(bytes)
            for index in start..<bytes.count {
                for value: UInt8 in [0xFF, bytes[index] &+ 1] {
                    try Data(ForgedStore.replacing(index, in: bytes, by: value)).write(to: fixture.url)
                    do {
                        let store = try fixture.open()
                        _ = try fixture.titles(in: store)
                        _ = try store.rows(RowRequest(entityIndex: 1, sortKeys: [SortKey("author.fullName")]))
                        _ = try store.related(entityIndex: 0, propertyIndex: 3, owners: [1, 2], includingRows: true)
                    } catch is StorageError {
                    } catch let error as ModelError {
                        Issue.record("\(error)")
                    }
                }
            }
        }
    }

    @Test func aLaterFormatIsNotDamaged() throws {
        try LibraryFixture.run(.binary) { fixture in
            var bytes = [UInt8](try Data(contentsOf: fixture.url))
            bytes[8] = 2
            try Data(bytes).write(to: fixture.url)
            let error = #expect(throws: StorageError.self) { _ = try fixture.open() }
            #expect(error?.code == .newer)
        }
    }

    @Test func theStoreOpensWithItsOwnModel() throws {
        try LibraryFixture.run(.binary) { fixture in
            _ = try fixture.store.apply(fixture.changes("A"))
            let store = try fixture.format.factory.open(
                PersistentStoreDescription(url: fixture.url, type: .binary), nil)
            #expect(store.identity.model == fixture.model)
            #expect(try fixture.titles(in: store) == ["A"])
        }
    }

    @Test func theSameContentGivesTheSameBytes() throws {
        try LibraryFixture.run(.binary) { fixture in
            _ = try fixture.store.apply(fixture.changes("A"))
            let first = try Data(contentsOf: fixture.url)
            var changes = ChangeSet()
            changes.metadata = ["nothing": nil]
            _ = try fixture.open().apply(changes)
            #expect(try Data(contentsOf: fixture.url) == first)
        }
    }
}
