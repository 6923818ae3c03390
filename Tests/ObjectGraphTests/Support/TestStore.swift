import Foundation
import Query
import RowMemory
import Schema
import Storage
import Synchronization

/// A store in memory, simple enough to be right: rows in dictionaries, relationships looked up by
/// scanning.
final class TestStore: StoreBackend, @unchecked Sendable {
    // Every access to the tables is under the lock, and rows leave as copies.
    struct Link: Hashable {
        var entityIndex: Int
        var propertyIndex: Int
        var owner: Int64
        var member: Int64
    }

    struct OrderKey: Hashable {
        var entityIndex: Int
        var propertyIndex: Int
        var owner: Int64
    }

    let description = PersistentStoreDescription(url: URL(fileURLWithPath: "/nowhere"), type: .inMemory)
    let identity: StoreIdentity
    let layouts: [RowLayout]
    private let lock = NSLock()
    var tables: [Int: [Int64: Row]] = [:]
    private var links: [Link: Int] = [:]
    private var orders: [OrderKey: [Int64]] = [:]
    private var lastKeys: [Int: Int64] = [:]
    private var linkCount = 0
    /// What was asked, for tests that count trips.
    private(set) var log: [String] = []
    /// Thrown by calls that read rows, for faults that can't be filled.
    var readError: (any Error)?
    /// So many calls succeed before.
    var readsBeforeError = 0
    var lastChanges = ChangeSet()

    init(_ model: ManagedObjectModel) {
        identity = StoreIdentity(uuid: UUID().uuidString, model: model)
        layouts = RowLayout.layouts(for: model)
    }

    private var model: ManagedObjectModel { identity.model }

    func clearLog() { log = [] }

    private func failWhereAsked() throws {
        guard let readError else { return }
        if readsBeforeError == 0 { throw readError }
        readsBeforeError -= 1
    }

    private func copy(_ row: Row, into batch: inout RowBatch) { _ = batch.append(copyOf: row) }

    // MARK: Reading

    private func select(_ request: RowRequest) throws -> [Row] {
        try failWhereAsked()
        let entity = model.entities[request.entityIndex]
        let family = request.includesSubentities ? entity.family : request.entityIndex..<(request.entityIndex + 1)
        let excluded = Set(request.excludedKeys)
        var rows = (tables[entity.rootIndex] ?? [:]).values.filter {
            family.contains($0.entityIndex) && !excluded.contains($0.key)
        }
        rows.sort { ($0.entityIndex, $0.key) < ($1.entityIndex, $1.key) }
        switch request.selection {
        case .keys(let keys):
            let wanted = Set(keys)
            rows = rows.filter { wanted.contains($0.key) }
        case .matching(let predicate?):
            let compiled = try CompiledPredicate(predicate)
            rows = try rows.filter { try compiled.matches(TestRow(store: self, row: $0)) }
        case .matching(nil): break
        }
        let sorted = try CompiledSort(request.sortKeys).sorted(rows.map { TestRow(store: self, row: $0) })
        let start = min(request.offset, sorted.count)
        return sorted[start..<(request.limit.map { min(start + $0, sorted.count) } ?? sorted.count)].map(\.row)
    }

    func rows(_ request: RowRequest) throws -> RowBatch {
        try lock.withLock {
            log.append("rows \(model.entities[request.entityIndex].name)")
            var batch = RowBatch()
            for row in try select(request) { copy(row, into: &batch) }
            return batch
        }
    }

    func count(_ request: RowRequest) throws -> Int {
        try lock.withLock {
            log.append("count \(model.entities[request.entityIndex].name)")
            return try select(request).count
        }
    }

    func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws -> RelatedBatch {
        try lock.withLock {
            try failWhereAsked()
            let property = model.entities[entityIndex].properties[propertyIndex]
            log.append("related \(model.entities[entityIndex].name).\(property.name) \(owners.count)")
            var batch = RelatedBatch(members: owners.map { members(of: $0, entityIndex, property) })
            guard includingRows else { return batch }
            var seen: Set<Int64> = []
            for reference in batch.members.joined() where seen.insert(reference.key).inserted {
                copy(tables[model.entities[reference.entityIndex].rootIndex]![reference.key]!, into: &batch.rows)
            }
            return batch
        }
    }

    fileprivate func members(of owner: Int64, _ entityIndex: Int, _ property: PropertyDescription) -> [ObjectReference]
    {
        let destination = model.entities[property.destinationIndex]
        let table = tables[destination.rootIndex] ?? [:]
        let keys: [Int64]
        if let inverse = model.inverse(of: property), !inverse.isToMany {
            let slot = layouts[destination.index].slots[inverse.index]
            keys = table.values.filter {
                destination.family.contains($0.entityIndex) && $0.reference(slot)?.key == owner
            }.map(\.key).sorted()
        } else {
            let (entity, name, isOwner) = canonical(entityIndex, property)
            keys = links.keys.filter {
                $0.entityIndex == entity && $0.propertyIndex == name && (isOwner ? $0.owner : $0.member) == owner
            }
            .map { isOwner ? $0.member : $0.owner }.filter { table[$0] != nil }.sorted()
        }
        let order =
            orders[OrderKey(entityIndex: property.declaringEntityIndex, propertyIndex: property.index, owner: owner)]
            ?? []
        let sorted = keys.sorted { a, b in (order.firstIndex(of: a) ?? .max, a) < (order.firstIndex(of: b) ?? .max, b) }
        return sorted.map { ObjectReference(key: $0, entityIndex: table[$0]!.entityIndex) }
    }

    /// Which side of a many-to-many relationship names its links.
    private func canonical(_ entityIndex: Int, _ property: PropertyDescription) -> (Int, Int, Bool) {
        guard let inverse = model.inverse(of: property) else {
            return (property.declaringEntityIndex, property.index, true)
        }
        if (property.declaringEntityIndex, property.index) <= (inverse.declaringEntityIndex, inverse.index) {
            return (property.declaringEntityIndex, property.index, true)
        }
        return (inverse.declaringEntityIndex, inverse.index, false)
    }

    // MARK: Writing

    func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 {
        lock.withLock { reserve(model.entities[entityIndex].rootIndex, count) }
    }

    private func reserve(_ root: Int, _ count: Int) -> Int64 {
        let first = lastKeys[root, default: 0] + 1
        lastKeys[root] = first + Int64(count) - 1
        return first
    }

    func apply(_ changes: ChangeSet) throws -> SaveReceipt {
        try lock.withLock {
            lastChanges = changes
            log.append("apply")
            try checkVersions(changes)
            var newKeys: [Int: [Int64: Int64]] = [:]
            var receipt = SaveReceipt(keys: [])
            for insertions in changes.insertions {
                let root = model.entities[insertions.entityIndex].rootIndex
                receipt.keys.append(
                    (0..<insertions.rows.count).map { index in
                        let key = insertions.rows[index].key
                        if key > 0 { return key }
                        let new = reserve(root, 1)
                        newKeys[root, default: [:]][key] = new
                        return new
                    })
            }
            func key(_ key: Int64, _ entityIndex: Int) -> Int64 {
                key > 0 ? key : newKeys[model.entities[entityIndex].rootIndex]![key]!
            }
            func put(_ row: Row, key newKey: Int64, version: Int64) {
                let slab = RowSlab(layout: layouts[row.entityIndex], capacity: 1)
                let copy = slab.appendRow(key: newKey, version: version)
                for slot in row.layout.slots { copy.copyValue(of: slot, from: row) }
                for slot in row.layout.slots where slot.kind == .toOne {
                    if let reference = copy.reference(slot) {
                        copy.setReference(
                            ObjectReference(
                                key: key(reference.key, reference.entityIndex), entityIndex: reference.entityIndex),
                            slot)
                    }
                }
                tables[model.entities[row.entityIndex].rootIndex, default: [:]][newKey] = copy
            }
            for (insertions, keys) in zip(changes.insertions, receipt.keys) {
                for (index, key) in keys.enumerated() { put(insertions.rows[index], key: key, version: 1) }
            }
            for updates in changes.updates {
                for index in 0..<updates.rows.count {
                    put(updates.rows[index], key: updates.rows[index].key, version: updates.rows[index].version + 1)
                }
            }
            for deletion in changes.deletions {
                tables[model.entities[deletion.entityIndex].rootIndex]?[deletion.key] = nil
            }
            for link in changes.links {
                let property = model.entities[link.entityIndex].properties[link.propertyIndex]
                precondition(canonical(link.entityIndex, property).2, "A link is named from its first side")
                let pair = Link(
                    entityIndex: link.entityIndex, propertyIndex: link.propertyIndex,
                    owner: key(link.owner, link.entityIndex),
                    member: key(link.member.key, link.member.entityIndex))
                var pairs = [pair]
                if let inverse = model.inverse(of: property), inverse == property {
                    pairs.append(
                        Link(
                            entityIndex: pair.entityIndex, propertyIndex: pair.propertyIndex, owner: pair.member,
                            member: pair.owner))
                }
                for pair in Set(pairs) {
                    if link.isAdded {
                        if links[pair] != nil { throw StorageError(.damaged, "A link comes twice: \(pair)") }
                        linkCount += 1
                        links[pair] = linkCount
                    } else {
                        if links[pair] == nil {
                            throw StorageError(.damaged, "A link goes that was not there: \(pair)")
                        }
                        links[pair] = nil
                    }
                }
            }
            for order in changes.orders {
                orders[
                    OrderKey(
                        entityIndex: order.entityIndex, propertyIndex: order.propertyIndex,
                        owner: key(order.owner, order.entityIndex))] =
                    order.members.map { key($0.key, $0.entityIndex) }
            }
            return receipt
        }
    }

    private func checkVersions(_ changes: ChangeSet) throws {
        var conflicts: [StoreConflict] = []
        func check(_ entityIndex: Int, _ key: Int64, _ version: Int64) {
            let stored = tables[model.entities[entityIndex].rootIndex]?[key]?.version ?? 0
            if stored != version {
                conflicts.append(
                    StoreConflict(
                        object: ManagedObjectID(store: identity, entityIndex: entityIndex, key: key),
                        expectedVersion: version, storedVersion: stored))
            }
        }
        for updates in changes.updates {
            for index in 0..<updates.rows.count {
                check(updates.entityIndex, updates.rows[index].key, updates.rows[index].version)
            }
        }
        for deletion in changes.deletions { check(deletion.entityIndex, deletion.key, deletion.version) }
        if !conflicts.isEmpty { throw StorageError(.conflict, "Rows were changed meanwhile", conflicts: conflicts) }
    }

    var storedLinks: Int { links.count }

    func metadata() throws -> [String: MetadataValue] { [:] }
    func explanation(of request: RowRequest) throws -> QueryExplanation {
        QueryExplanation(statement: "", arguments: [], plan: [])
    }
    func close() throws {}
}

/// A row as predicates see it.
final class TestRow: QueryObject {
    let store: TestStore
    let row: Row

    init(store: TestStore, row: Row) {
        self.store = store
        self.row = row
    }

    private var entity: EntityDescription { store.identity.model.entities[row.entityIndex] }

    var queryID: ManagedObjectID { ManagedObjectID(store: store.identity, entityIndex: row.entityIndex, key: row.key) }

    func queryValue(forKey key: String) throws -> QueryValue {
        guard let index = entity.propertyIndex(named: key) else { throw QueryError(.unknownKey, key) }
        return try queryValue(at: index)
    }

    func queryValue(at propertyIndex: Int) throws -> QueryValue {
        let slot = row.layout.slots[propertyIndex]
        switch slot.kind {
        case .toOne: return row.reference(slot).flatMap { object($0) } ?? .null
        case .toMany:
            let property = entity.properties[propertyIndex]
            return .collection(
                store.members(of: row.key, property.declaringEntityIndex, property).compactMap { object($0) },
                isOrdered: property.relationship!.isOrdered)
        default: return .scalar(row.value(slot))
        }
    }

    private func object(_ reference: ObjectReference) -> QueryValue? {
        let root = store.identity.model.entities[reference.entityIndex].rootIndex
        return store.tables[root]?[reference.key].map { .object(TestRow(store: store, row: $0)) }
    }
}
