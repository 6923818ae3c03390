import Foundation
import SQLiteKit
import SQLiteStore
import Schema
import Storage
import TestSupport
import Testing

struct LargeValueTests {
    private let small = Data("small".utf8)
    private let large = Data(repeating: 7, count: 200_000)

    private func folder(_ fixture: StoreFixture) -> URL {
        fixture.url.deletingLastPathComponent().appendingPathComponent(".Features_SUPPORT/_EXTERNAL_DATA")
    }

    private func files(_ fixture: StoreFixture) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder(fixture).path)) ?? []
    }

    private func cover(_ fixture: StoreFixture, _ key: Int64) throws -> LargeValue {
        guard case .large(let value) = try fixture.value("Book", key, "cover") else { throw StorageError(.damaged, "no value") }
        return value
    }

    @Test func aSmallValueStandsInTheStoreBehindItsMark() throws {
        try StoreFixture.run { fixture in
            let book = try fixture.insert("Book", ["cover": .large(LargeValue(small))])
            #expect(try fixture.sql("SELECT ZCOVER FROM ZITEM") == [[.blob([1] + small)]])
            #expect(try cover(fixture, book).data() == small)
        }
    }

    @Test func aLargeValueIsAFileBesideTheStore() throws {
        try StoreFixture.run { fixture in
            let book = try fixture.insert("Book", ["cover": .large(LargeValue(large))])
            let names = files(fixture)
            #expect(names.count == 1)
            #expect(try fixture.sql("SELECT ZCOVER FROM ZITEM") == [[.blob([2] + names[0].utf8 + [0])]])
            try fixture.reopen()
            #expect(try cover(fixture, book).data() == large)
            #expect(try fixture.store.externalValueNames() == Set(names))
        }
    }

    @Test func aFileThatNothingRefersToGoesWhenTheStoreCloses() throws {
        try StoreFixture.run { fixture in
            let book = try fixture.insert("Book", ["cover": .large(LargeValue(large))])
            var changes = ChangeSet()
            changes.updates = [try fixture.update("Book", book, ["cover": .large(LargeValue(small))])]
            let before = try cover(fixture, book)
            _ = try fixture.store.apply(changes)
            // Undo may still want it.
            #expect(try before.data() == large)
            changes.updates = [try fixture.update("Book", book, ["cover": .large(before)])]
            _ = try fixture.store.apply(changes)
            try fixture.reopen()
            #expect(files(fixture).count == 1)
            changes.updates = []
            changes.deletions = [.init(entityIndex: fixture.entity("Book").index, key: book, version: 3)]
            _ = try fixture.store.apply(changes)
            try fixture.reopen()
            #expect(files(fixture).isEmpty)
        }
    }

    @Test func aFailedSaveLeavesNoFile() throws {
        try StoreFixture.run { fixture in
            var changes = ChangeSet()
            changes.insertions = [fixture.insertion("Book", -1, ["cover": .large(LargeValue(large))])]
            changes.deletions = [.init(entityIndex: fixture.entity("Tag").index, key: 9, version: 1)]
            _ = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            changes.deletions = []
            changes.insertions.append(fixture.insertion("Shelf", -2, ["name": .string("a")]))
            changes.insertions.append(fixture.insertion("Shelf", -3, ["name": .string("a")]))
            _ = #expect(throws: StorageError.self) { try fixture.store.apply(changes) }
            #expect(files(fixture).isEmpty)
        }
    }

    @Test func aMissingFileIsAValueThatCanNotBeLoaded() throws {
        try StoreFixture.run { fixture in
            let book = try fixture.insert("Book", ["cover": .large(LargeValue(large))])
            try FileManager.default.removeItem(at: folder(fixture))
            let value = try cover(fixture, book)
            let error = #expect(throws: StorageError.self) { try value.data() }
            #expect(error?.code == .notFound)
            // The reference survives a change of something else, and being written again.
            var changes = ChangeSet()
            changes.updates = [try fixture.update("Book", book, ["title": .string("t"), "cover": .large(value)])]
            _ = try fixture.store.apply(changes)
            #expect(try cover(fixture, book) == value)
        }
    }

    @Test func aValueOfAnotherStoreIsCopied() throws {
        try StoreFixture.run { first in
            let book = try first.insert("Book", ["cover": .large(LargeValue(large))])
            let value = try cover(first, book)
            try StoreFixture.run { second in
                let copy = try second.insert("Book", ["cover": .large(value)])
                #expect(files(second).count == 1)
                #expect(try cover(second, copy).data() == large)
            }
        }
    }

    @Test func aNameThatLeadsElsewhereIsRefused() throws {
        try StoreFixture.run { fixture in
            let book = try fixture.insert("Book", ["cover": .large(LargeValue(small))])
            try fixture.store.close()
            let connection = try Connection(fixture.url.path, .readWrite)
            let name = "../../../../../../../../../etc/passwd"
            try connection.run("UPDATE ZITEM SET ZCOVER = ?", [.blob([2] + name.utf8.prefix(36) + [0])])
            try connection.close()
            fixture.store = try SQLitePersistentStore.open(fixture.store.description)
            let value = try cover(fixture, book)
            let error = #expect(throws: StorageError.self) { try value.data() }
            #expect(error?.code == .damaged)
        }
    }
}
