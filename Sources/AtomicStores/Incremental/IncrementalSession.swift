import Foundation
import Query
import RowMemory
import Schema
import Storage

/// An open incremental store. Used under the lock of its ``IncrementalPersistentStore``.
///
/// Invariants:
/// 1. Nothing is cached between operations except numbers that the store has permanently reserved.
/// 2. An operation that throws leaves the store unchanged: all changes of a save are in the one
///    request that the store executes last.
final class IncrementalSession {
    let description: PersistentStoreDescription
    let shape: TableShape
    private let store: any IncrementalStore
    private let context: IncrementalStoreContext

    init(
        _ store: any IncrementalStore, _ description: PersistentStoreDescription, _ shape: TableShape,
        _ context: IncrementalStoreContext
    ) {
        self.store = store
        self.description = description
        self.shape = shape
        self.context = context
    }

    /// Whether the objects of results become faults, whose values are read when they are used.
    var givesFaults: Bool { store is any FaultingStore }

    /// A table that reads the store's current content.
    func table() -> NodeTable { NodeTable(shape, store, context) }

    func metadata() throws -> StoreMetadata {
        guard let values = try store.loadMetadata() else { throw StorageError(.notFound, "The store is gone") }
        let metadata = try StoreMetadata(values, description.type)
        guard metadata.uuid == context.storeUUID else {
            throw StorageError(.busy, "Another store has taken the place of this one: open it again")
        }
        return metadata
    }

    // MARK: Writing

    private func checkWritable() throws {
        if description.isReadOnly { throw StorageError(.readOnly, "The store is open for reading only") }
    }

    /// Reserves consecutive primary keys for new objects and returns the first.
    func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 {
        try checkWritable()
        try shape.checkStored(entityIndex)
        return try StoreNumbers(store, context).take(count, root: shape.root(of: entityIndex), entityIndex: entityIndex)
    }

    /// Commits a change set, or changes nothing.
    /// - Parameter beforeCommit: called before the store gets the changes; an error ends the save.
    func apply(_ changes: ChangeSet, beforeCommit: () throws -> Void = {}) throws -> SaveReceipt {
        try checkWritable()
        var receipt = SaveReceipt(keys: [])
        try store.performSave {
            let work = try shape.derivations.isEmpty ? stage(changes) : stageWithDerivedValues(changes)
            let metadata = try changes.metadata.isEmpty ? nil : metadata().applying(changes.metadata).publicValues
            receipt = work.receipt
            try beforeCommit()
            if !changes.isEmpty {
                try store.execute(try work.change.request(shape, context.identity, metadata), with: context)
            }
        }
        return receipt
    }

    private func stage(_ changes: ChangeSet) throws -> (change: IncrementalChange, receipt: SaveReceipt) {
        let table = table()
        var numbers = StoreNumbers(store, context)
        let staging = try ChangeStaging(changes, on: table, numbers: &numbers)
        var change = IncrementalChange()
        for (root, key, row) in staging.change.rows {
            change.add(root, key, old: try table.row(key, entityIndex: root), new: row)
        }
        try change.add(staging.change.lists, shape) { try table.row($0, entityIndex: $1) }
        return (change, staging.receipt)
    }

    /// The values of any objects may depend on the change, so all objects are read and processed in
    /// memory.
    private func stageWithDerivedValues(_ changes: ChangeSet) throws -> (
        change: IncrementalChange, receipt: SaveReceipt
    ) {
        let table = try whole()
        var numbers = StoreNumbers(store, context)
        let staging = try ChangeStaging(changes, on: table, numbers: &numbers)
        var inverses = [table.exchange(staging.change)]
        let derived = try DerivedValues(table, isCopy: changes.keepsVersions).update(after: staging.change, inverses[0])
        inverses += derived.inverses
        var receipt = staging.receipt
        receipt.derived = derived.rows
        var change = IncrementalChange()
        for (root, key, old) in inverses.flatMap(\.rows) {
            change.add(root, key, old: old, new: table.row(key, entityIndex: root))
        }
        try change.add(staging.change.lists, shape) { table.row($0, entityIndex: $1) }
        return (change, receipt)
    }

    private func whole() throws -> RowTable {
        let nodes = table()
        let all = RowTable(shape, identity: context.identity, numbers: .perHierarchy)
        for entity in shape.model.entities where entity.superentity == nil && shape.isStored[entity.index] {
            all.load(try nodes.allRows(of: entity.index).map { ($0.key, $0) }, root: entity.index)
        }
        for relation in shape.relations.indices {
            if case .keys = shape.relations[relation].kind, !shape.relations[relation].isOrdered { continue }
            for (owner, members) in try nodes.allLists(of: relation) { all.load(members, of: owner, relation) }
        }
        for relation in shape.relations.indices {
            all.completeLists(of: relation)
            // The store must get every list that changes, so no list may remain to be built on
            // demand.
            _ = all.allLists(of: relation)
        }
        return all
    }

    func close() throws { try store.close() }

    /// Converts an error of a lower layer into the error for the caller.
    func error(_ error: any Error) -> any Error {
        if error is QueryError { return error }
        return StorageError(below: error, path: description.url.path)
    }
}

/// Primary keys that the store itself reserves.
struct StoreNumbers: NumberSource {
    private let store: any IncrementalStore
    private let context: IncrementalStoreContext
    /// The greatest primary keys of inserted objects with given keys, by hierarchy. The store does
    /// not know them yet.
    private var brought: [Int: Int64] = [:]

    /// The greatest number of keys that are skipped because inserted objects with given keys use
    /// them.
    private static let greatestGap: Int64 = 100_000

    init(_ store: any IncrementalStore, _ context: IncrementalStoreContext) {
        self.store = store
        self.context = context
    }

    mutating func note(_ key: Int64, root: Int) {
        if key > 0, key < StoreReferences.firstKey { brought[root] = max(brought[root] ?? 0, key) }
    }

    func take(_ count: Int, root: Int, entityIndex: Int) throws -> Int64 {
        let first = try ask(count, entityIndex)
        guard let greatest = brought[root], first <= greatest else { return first }
        let gap = greatest - (first + Int64(count) - 1)
        let name = context.model.entities[entityIndex].name
        guard gap <= Self.greatestGap else {
            throw StorageError(
                .unsupported,
                "An object brings the number \(greatest) along, far beyond those that the store gives out",
                entities: [name])
        }
        if gap > 0 { _ = try ask(Int(gap), entityIndex) }
        let next = try ask(count, entityIndex)
        guard next > greatest else {
            throw StorageError(
                .damaged, "The store gives the same numbers twice, or none that ascend", entities: [name])
        }
        return next
    }

    private func ask(_ count: Int, _ entityIndex: Int) throws -> Int64 {
        let name = context.model.entities[entityIndex].name
        let keys = try context.keys(of: try store.obtainPermanentIDs(forEntityNamed: name, count: count, with: context))
        guard let first = keys.first, keys.count == count, keys.indices.allSatisfy({ keys[$0] == first + Int64($0) })
        else {
            throw StorageError(
                .damaged,
                "The store gave \(keys.count) IDs for \(count) new objects of \(name), or some that do not follow each other",
                entities: [name])
        }
        return first
    }
}
