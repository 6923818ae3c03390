import AtomicStores
import Foundation
import ModelFiles
import RowMemory
import Schema
import Storage
import TestSupport
import Testing

/// Binary stores that promise more objects than memory is for. What is allowed to every file is
/// small here.
struct MemoryBudgetTests {
    private static let floor = 1 << 20

    private func model(attributes: Int) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Wide", attributes: (0..<attributes).map { AttributeDescription("a\($0)", .integer64) })
            ], versionIdentifiers: ["1"])
    }

    private func changes(_ count: Int, _ store: any StoreBackend, filling: Int) -> ChangeSet {
        var rows = RowBatch(), changes = ChangeSet()
        for number in 0..<count {
            let row = rows.appendRow(store.layouts[0], key: Int64(-1 - number), version: 0)
            for slot in store.layouts[0].slots.prefix(filling) { row.setInt(Int64(number), slot) }
        }
        changes.insertions = [.init(entityIndex: 0, rows: rows)]
        return changes
    }

    @Test func aFileOfManyEmptyObjectsIsRefusedBeforeTheyAreMade() throws {
        try withTemporaryDirectory { folder in
            let description = PersistentStoreDescription(url: folder.appendingPathComponent("a.store"), type: .binary),
                model = try model(attributes: 400)
            let factory = LibraryFixture.Format.binary.factory
            let store = try factory.open(description, model)
            // Some 3.4 KB each in memory, 16 bytes in the file.
            _ = try store.apply(changes(3000, store, filling: 0))
            try store.close()
            MemoryBudget.$floor.withValue(Self.floor) {
                let error = #expect(throws: StorageError.self) {
                    try factory.open(description, model).count(RowRequest(entityIndex: 0))
                }
                #expect(error?.code == .damaged)
                #expect(error?.message.contains("can't hold as many objects") == true)
            }
            #expect(try factory.open(description, model).count(RowRequest(entityIndex: 0)) == 3000)
        }
    }

    @Test func whatCouldNotBeReadAgainIsNotWritten() throws {
        try withTemporaryDirectory { folder in
            try MemoryBudget.$floor.withValue(Self.floor) {
                let description = PersistentStoreDescription(
                    url: folder.appendingPathComponent("a.store"), type: .binary)
                let store = try LibraryFixture.Format.binary.factory.open(description, model(attributes: 400))
                let error = #expect(throws: StorageError.self) { try store.apply(changes(3000, store, filling: 0)) }
                #expect(error?.code == .unsupported)
                #expect(try store.count(RowRequest(entityIndex: 0)) == 0)
                // With values in them they are no more than the file.
                _ = try store.apply(changes(3000, store, filling: 40))
                try store.close()
                #expect(
                    try LibraryFixture.Format.binary.factory.open(description, model(attributes: 400)).count(
                        RowRequest(entityIndex: 0)) == 3000)
            }
        }
    }
}
