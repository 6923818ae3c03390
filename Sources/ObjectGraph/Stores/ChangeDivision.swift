import Foundation
import RowMemory
import Schema
import Storage

/// A change set divided by store, with the primary keys of each store.
struct ChangeDivision {
    struct Part {
        let member: StoreMember
        var changes = ChangeSet()
        fileprivate var insertionPositions: [Int: Int] = [:]
        fileprivate var updatePositions: [Int: Int] = [:]
    }

    private(set) var parts: [Part] = []
    private let union: StoreUnion
    /// The part, and the group and row in it, of each row of the insertions.
    private var places: [[(part: Int, group: Int, row: Int)]] = []
    /// The indexes of the stores of new objects, by temporary key.
    private var homes: [Int64: Int] = [:]

    /// - Throws: `StorageError` with code `crossStore` if a relationship would connect objects in
    ///   different stores; `readOnly`, `unsupported`.
    init(_ changes: ChangeSet, _ union: StoreUnion) throws {
        self.union = union
        parts = union.members.map { Part(member: $0) }
        for group in changes.insertions {
            var home: Int?
            for index in 0..<group.rows.count where group.rows[index].key < 0 {
                let key = group.rows[index].key
                if let assigned = changes.stores[key], let member = union.members.first(where: { $0.uuid == assigned })
                {
                    homes[key] = member.place
                } else {
                    let place = try home ?? union.homeStore(of: group.entityIndex).place
                    home = place
                    homes[key] = place
                }
            }
        }
        for group in changes.insertions { try insert(group) }
        for group in changes.updates { try update(group) }
        for deletion in changes.deletions {
            let part = try part(of: deletion.key)
            parts[part].changes.deletions.append(
                ChangeSet.Deletion(
                    entityIndex: deletion.entityIndex, key: local(deletion.key), version: deletion.version))
        }
        for link in changes.links {
            try check(link.owner, leadsTo: link.member, entityIndex: link.entityIndex, link.propertyIndex)
            parts[try part(of: link.owner)].changes.links.append(
                ChangeSet.Link(
                    entityIndex: link.entityIndex, propertyIndex: link.propertyIndex, owner: local(link.owner),
                    member: local(link.member), isAdded: link.isAdded))
        }
        for order in changes.orders {
            for member in order.members {
                try check(order.owner, leadsTo: member, entityIndex: order.entityIndex, order.propertyIndex)
            }
            parts[try part(of: order.owner)].changes.orders.append(
                ChangeSet.Order(
                    entityIndex: order.entityIndex, propertyIndex: order.propertyIndex, owner: local(order.owner),
                    members: order.members.map { local($0) }))
        }
        for index in parts.indices {
            parts[index].changes.metadata = union.pendingMetadata[parts[index].member.uuid] ?? [:]
            parts[index].changes.origin = changes.origin
        }
        if let first = parts.indices.first { parts[first].changes.metadata.merge(changes.metadata) { $1 } }
        // Stores that can't defer their commit write after all others.
        parts = parts.filter { !$0.changes.isEmpty }
        let order = parts.indices.sorted {
            (parts[$0].member.store.defersCommit ? 0 : 1, $0) < (parts[$1].member.store.defersCommit ? 0 : 1, $1)
        }
        for index in parts.indices where parts[index].member.isReadOnly {
            throw StorageError(
                .readOnly, "The store is open for reading only", path: parts[index].member.store.description.url.path)
        }
        let kept = order.map { parts[$0] }
        let positions = Dictionary(
            kept.enumerated().map { ($1.member.place, $0) }, uniquingKeysWith: { first, _ in first })
        let members = union.members
        places = places.map { rows in rows.map { (positions[members[$0.part].place] ?? 0, $0.group, $0.row) } }
        parts = kept
    }

    /// The receipts of the stores, combined.
    func receipt(_ receipts: [SaveReceipt], _ shapes: ContiguousArray<EntityShape>) throws -> SaveReceipt {
        var result = SaveReceipt(
            keys: try places.map { rows in
                try rows.map { try parts[$0.part].member.lift(receipts[$0.part].keys[$0.group][$0.row]) }
            })
        for (part, receipt) in zip(parts, receipts) {
            let rows = try part.member.lift(receipt.derived, shapes)
            for index in 0..<rows.count { _ = result.derived.append(copyOf: rows[index]) }
        }
        return result
    }

    // MARK: Rows

    private mutating func insert(_ group: ChangeSet.Insertions) throws {
        var rows: [(part: Int, group: Int, row: Int)] = []
        for index in 0..<group.rows.count {
            let row = group.rows[index]
            let part = try part(of: row.key)
            let place = parts[part].insertionPositions[group.entityIndex] ?? parts[part].changes.insertions.count
            if parts[part].insertionPositions[group.entityIndex] == nil {
                parts[part].insertionPositions[group.entityIndex] = place
                parts[part].changes.insertions.append(
                    ChangeSet.Insertions(entityIndex: group.entityIndex, rows: RowBatch()))
            }
            rows.append((part, place, parts[part].changes.insertions[place].rows.count))
            let copy = parts[part].changes.insertions[place].rows.append(copyOf: row)
            try translate(copy, of: row, in: shape(group.entityIndex), changed: nil)
        }
        places.append(rows)
    }

    private mutating func update(_ group: ChangeSet.Updates) throws {
        for index in 0..<group.rows.count {
            let row = group.rows[index]
            let part = try part(of: row.key)
            let place = parts[part].updatePositions[group.entityIndex] ?? parts[part].changes.updates.count
            if parts[part].updatePositions[group.entityIndex] == nil {
                parts[part].updatePositions[group.entityIndex] = place
                parts[part].changes.updates.append(ChangeSet.Updates(entityIndex: group.entityIndex))
            }
            let copy = parts[part].changes.updates[place].rows.append(copyOf: row)
            parts[part].changes.updates[place].changed.append(group.changed[index])
            try translate(copy, of: row, in: shape(group.entityIndex), changed: group.changed[index])
        }
    }

    private func shape(_ entityIndex: Int) -> EntityShape { union.shapes[entityIndex] }

    private func translate(_ copy: Row, of row: Row, in shape: EntityShape, changed: PropertySet?) throws {
        for relation in shape.toOnes {
            guard let target = row.reference(relation.slot) else { continue }
            if changed?.contains(relation.index) ?? true, !relation.description.isTransient {
                try check(row.key, leadsTo: target, entityIndex: shape.entity.index, relation.index)
            }
            copy.setReference(local(target), relation.slot)
        }
        copy.key = local(row.key)
    }

    // MARK: Numbers

    private func place(of key: Int64) -> Int { key < 0 ? homes[key] ?? 0 : StoreKey.place(of: key) }

    private func local(_ key: Int64) -> Int64 { key < 0 ? key : StoreKey.local(key) }

    private func local(_ reference: ObjectReference) -> ObjectReference {
        ObjectReference(key: local(reference.key), entityIndex: reference.entityIndex)
    }

    private func part(of key: Int64) throws -> Int {
        let place = place(of: key)
        guard let index = union.members.firstIndex(where: { $0.place == place }) else {
            throw StorageError(.unsupported, "The store of an object with changes was removed from the coordinator")
        }
        return index
    }

    private func check(_ key: Int64, leadsTo target: ObjectReference, entityIndex: Int, _ propertyIndex: Int) throws {
        guard place(of: key) != place(of: target.key) else { return }
        let entity = union.shapes[entityIndex].entity, property = entity.properties[propertyIndex].name
        func path(_ key: Int64) -> String {
            union.member(at: place(of: key))?.store.description.url.lastPathComponent ?? "a store that was removed"
        }
        throw StorageError(
            .crossStore,
            "\(entity.name).\(property) would lead from \(path(key)) into \(path(target.key)): objects in different stores can't be related; assign both to one store, "
                + "or use a fetched property",
            entities: [entity.name, union.shapes[target.entityIndex].entity.name], keys: [property])
    }
}

extension StoreUnion {
    /// Lets each store write its part, and commit after all others have written. If one of them
    /// fails, all are unchanged.
    func apply(_ changes: ChangeSet) throws -> SaveReceipt {
        let division = try ChangeDivision(changes, self)
        var receipts = [SaveReceipt](repeating: SaveReceipt(keys: []), count: division.parts.count)
        func write(_ index: Int) throws {
            guard index < division.parts.count else { return }
            let part = division.parts[index]
            receipts[index] = try part.member.store.apply(part.changes) { try write(index + 1) }
        }
        try write(0)
        return try division.receipt(receipts, shapes)
    }
}
