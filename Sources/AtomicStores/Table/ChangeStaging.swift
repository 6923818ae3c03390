import Foundation
import RowMemory
import Schema
import Storage

/// Computes the effects of a change set on a table without changing the table, so that an error has
/// no effect.
struct ChangeStaging {
    private let table: any ChangeableTable
    private let shape: TableShape
    private let changes: ChangeSet

    private(set) var change = TableChange()
    private(set) var receipt = SaveReceipt(keys: [])
    private let keys = KeyMap()
    private var staged: [RowChange] = []
    private var edits: MemberEdits

    private struct RowChange {
        let old: Row?
        let new: Row?
        /// The key that the change set uses for the object.
        let givenKey: Int64
    }

    /// - Parameter numbers: Gives the new objects their keys. An error does not give them back.
    init(_ changes: ChangeSet, on table: any ChangeableTable, numbers: inout some NumberSource) throws {
        self.table = table
        self.changes = changes
        shape = table.shape
        edits = MemberEdits(table)
        for entityIndex in changes.insertions.map(\.entityIndex) + changes.updates.map(\.entityIndex) {
            try shape.checkStored(entityIndex)
        }
        try assignKeys(&numbers)
        try checkVersions()
        try stageDeletions()
        try stageUpdates()
        if goesBehindAll { try stageRowsBehindAll() } else { try stageInsertions() }
        try checkConstraints()
        try stageMembers()
        try stageLinks()
        stageOrders()
        change.rows = staged.map { staged in
            let row = staged.new ?? staged.old
            return (row.map { shape.root(of: $0.entityIndex) } ?? 0, row?.key ?? 0, staged.new)
        }
        change.lists = try edits.lists()
    }

    private func key(_ key: Int64) -> Int64 { keys.key(key) }

    // MARK: Numbers

    private mutating func assignKeys(_ numbers: inout some NumberSource) throws {
        for group in changes.insertions {
            let root = shape.root(of: group.entityIndex)
            for key in group.rows.keys { numbers.note(key, root: root) }
        }
        receipt = SaveReceipt(
            keys: try changes.insertions.map { group in
                let root = shape.root(of: group.entityIndex)
                var assigned = group.rows.keys
                let new = assigned.count { $0 < 0 }
                if new == 0 { return assigned }
                var next = try numbers.take(new, root: root, entityIndex: group.entityIndex)
                for (place, key) in assigned.enumerated() where key < 0 {
                    keys.set(next, for: key)
                    assigned[place] = next
                    next += 1
                }
                return assigned
            })
    }

    // MARK: Conflicts

    private func checkVersions() throws {
        var conflicts: [StoreConflict] = []
        func check(_ key: Int64, _ version: Int64, _ entityIndex: Int) throws {
            let stored = try table.row(key, entityIndex: entityIndex)
            if let stored, stored.version == version, stored.entityIndex == entityIndex { return }
            conflicts.append(
                StoreConflict(
                    object: ManagedObjectID(store: table.identity, entityIndex: entityIndex, key: key),
                    expectedVersion: version,
                    storedVersion: stored?.version ?? 0))
        }
        for updates in changes.updates {
            precondition(
                updates.changed.count == updates.rows.count,
                "Every updated row comes with the set of its changed properties")
            for index in 0..<updates.rows.count {
                try check(updates.rows[index].key, updates.rows[index].version, updates.entityIndex)
            }
        }
        for deletion in changes.deletions { try check(deletion.key, deletion.version, deletion.entityIndex) }
        guard conflicts.isEmpty else {
            throw StorageError(
                .conflict, "Objects were changed in the store since they were read", conflicts: conflicts)
        }
    }

    // MARK: Rows

    private mutating func stageDeletions() throws {
        for deletion in changes.deletions {
            guard let row = try table.row(deletion.key, entityIndex: deletion.entityIndex) else { continue }
            staged.append(RowChange(old: row, new: nil, givenKey: deletion.key))
        }
    }

    private mutating func stageUpdates() throws {
        for updates in changes.updates {
            var filler = RowFiller(shape.layouts[updates.entityIndex], count: updates.rows.count)
            let properties = shape.model.entities[updates.entityIndex].properties
            for index in 0..<updates.rows.count {
                let given = updates.rows[index]
                guard let old = try table.row(given.key, entityIndex: updates.entityIndex) else { continue }
                let new = filler.append(key: old.key, version: old.version + 1)
                for slot in shape.storedSlots[updates.entityIndex] {
                    let isChanged = updates.changed[index].contains(Int(slot.index))
                    if isChanged { try checkHolds(slot, of: given) }
                    try filler.copy(slot, from: isChanged ? given : old, into: new, properties[Int(slot.index)], key)
                }
                staged.append(RowChange(old: old, new: new, givenKey: given.key))
            }
        }
    }

    private mutating func stageInsertions() throws {
        for (group, keys) in zip(changes.insertions, receipt.keys) {
            _ = try copies(of: group, keys) { new, given in
                staged.append(RowChange(old: nil, new: new, givenKey: given.key))
            }
        }
    }

    /// Whether the new rows can be appended without further checks: they have greater keys than all
    /// others, no list has them as members, no constraint applies to them, and nothing is derived
    /// from them.
    private var goesBehindAll: Bool {
        guard changes.links.isEmpty, changes.orders.isEmpty, shape.derivations.isEmpty else { return false }
        var greatest: [Int: Int64] = [:]
        for (group, keys) in zip(changes.insertions, receipt.keys) {
            let root = shape.root(of: group.entityIndex)
            guard var last = greatest[root] ?? table.lastNumber(root: root),
                !shape.constraints.contains(where: { $0.family.contains(group.entityIndex) }),
                !shape.keyRelations[group.entityIndex].contains(where: { table.hasLists($0.relation) })
            else { return false }
            for key in keys {
                guard key > last else { return false }
                last = key
            }
            greatest[root] = last
        }
        return true
    }

    private mutating func stageRowsBehindAll() throws {
        for (group, keys) in zip(changes.insertions, receipt.keys) {
            change.appended.append((shape.root(of: group.entityIndex), try copies(of: group, keys) { _, _ in }))
        }
    }

    /// Copies the new rows of one entity for the store. `body` is called with each copy and the
    /// original.
    private func copies(of group: ChangeSet.Insertions, _ keys: [Int64], _ body: (_ new: Row, _ given: Row) -> Void)
        throws -> ContiguousArray<RowSlab>
    {
        var filler = RowFiller(shape.layouts[group.entityIndex], count: group.rows.count)
        let properties = shape.model.entities[group.entityIndex].properties
        let fleeting = shape.fleetingSlots[group.entityIndex], changing = shape.changingSlots[group.entityIndex]
        for index in 0..<group.rows.count {
            let given = group.rows[index]
            let new = filler.append(
                copyOf: given, key: keys[index], version: changes.keepsVersions ? max(1, given.version) : 1)
            for slot in fleeting { new.clear(slot) }
            for slot in changing where given.hasValue(slot) {
                try checkHolds(slot, of: given)
                new.clear(slot)
                try filler.copy(slot, from: given, into: new, properties[Int(slot.index)], key)
            }
            body(new, given)
        }
        return filler.slabs
    }

    /// Checks that decimals are numbers: they are stored as text, which has no representation for
    /// NaN.
    private func checkHolds(_ slot: RowSlot, of row: Row) throws {
        let found: (path: [String], value: PropertyValue)?
        switch slot.kind {
        case .decimal: found = row.decimal(slot).flatMap { $0.isNaN ? ([], .decimal($0)) : nil }
        case .boxed: found = row.boxed(slot)?.value.unwritableDecimal
        default: return
        }
        guard let found else { return }
        let name = shape.model.entities[row.entityIndex].properties[Int(slot.index)].name
        throw StorageError.unstorable(
            found.value, ([name] + found.path).joined(separator: "."),
            of: conflict(of: row, key: row.key, version: row.version))
    }

    private func conflict(of row: Row, key: Int64, version: Int64) -> StoreConflict {
        StoreConflict(
            object: ManagedObjectID(store: table.identity, entityIndex: row.entityIndex, key: key),
            expectedVersion: version, storedVersion: version)
    }

    // MARK: Constraints

    private func checkConstraints() throws {
        let gone = Set(staged.compactMap { $0.new == nil ? $0.old.map { identity(of: $0) } : nil })
        var present: Set<ObjectReference> = []
        for staged in staged where staged.old == nil {
            guard let new = staged.new else { continue }
            let reference = identity(of: new)
            let isTaken = try table.row(reference) != nil && !gone.contains(reference)
            // Keys that are assigned here differ from each other and from all given keys.
            if isTaken || staged.givenKey >= 0 && !present.insert(reference).inserted {
                let name = shape.model.entities[new.entityIndex].name
                throw StorageError(
                    .constraint, "There is already an object with the number \(new.key): \(name)", entities: [name],
                    conflicts: [conflict(of: new, key: staged.givenKey, version: 0)])
            }
        }
        for index in shape.constraints.indices { try check(index) }
    }

    /// The reference that identifies an object in its hierarchy, regardless of its entity.
    private func identity(of row: Row) -> ObjectReference {
        ObjectReference(key: row.key, entityIndex: shape.root(of: row.entityIndex))
    }

    private func check(_ index: Int) throws {
        let constraint = shape.constraints[index]
        var claimed: [UniqueValues: Int64] = [:]
        var replaced: Set<Int64> = []
        var candidates: [(RowChange, UniqueValues)] = []
        for staged in staged {
            let old = staged.old.flatMap { constraint.values(of: $0) }
            let new = staged.new.flatMap { constraint.values(of: $0) }
            if let row = staged.old, old != nil, old != new { replaced.insert(row.key) }
            if let new, old != new { candidates.append((staged, new)) }
        }
        guard !candidates.isEmpty else { return }
        let holders = try table.uniqueness(index, of: candidates.compactMap(\.0.new))
        for (staged, values) in candidates {
            guard let row = staged.new else { continue }
            let stored = holders.holder(of: values).flatMap { replaced.contains($0) ? nil : $0 }
            if let holder = claimed[values] ?? stored {
                throw StorageError.notUnique(
                    constraint.names, conflict(of: row, key: staged.givenKey, version: staged.old?.version ?? 0),
                    holder: try holderID(holder, constraint))
            }
            claimed[values] = staged.givenKey
        }
    }

    /// The ID of the object with a key, in the table or among the new objects.
    private func holderID(_ key: Int64, _ constraint: UniquenessConstraint) throws -> ManagedObjectID {
        let row =
            try staged.first {
                $0.givenKey == key && ($0.new.map { constraint.family.contains($0.entityIndex) } ?? false)
            }?.new
            ?? table.row(key, entityIndex: constraint.entityIndex)
        return ManagedObjectID(store: table.identity, entityIndex: row?.entityIndex ?? constraint.entityIndex, key: key)
    }

    // MARK: Members

    private mutating func stageMembers() throws {
        for staged in staged {
            guard let row = staged.new ?? staged.old else { continue }
            let reference = ObjectReference(key: row.key, entityIndex: row.entityIndex)
            for (slot, relation) in shape.keyRelations[row.entityIndex] where table.hasLists(relation) {
                let before = staged.old?.reference(slot)?.key, after = staged.new?.reference(slot)?.key
                guard before != after else { continue }
                if let before { edits.remove(reference.key, from: before, relation) }
                if let after { edits.add(reference, to: after, relation) }
            }
            if staged.new == nil { try stageLinksOfDeleted(reference) }
        }
        try edits.removeFromFreeLists(
            staged.compactMap {
                $0.new == nil ? $0.old.map { ObjectReference(key: $0.key, entityIndex: $0.entityIndex) } : nil
            })
    }

    private mutating func stageLinksOfDeleted(_ reference: ObjectReference) throws {
        for relation in shape.ownedRelations[reference.entityIndex] {
            switch shape.relations[relation].kind {
            case .keys: continue
            case .free: edits.empty(reference.key, relation)
            case .linked(let inverse):
                for member in try table.members(of: reference.key, relation) {
                    edits.remove(reference.key, from: member.key, inverse)
                }
                edits.empty(reference.key, relation)
            }
        }
    }

    private mutating func stageLinks() throws {
        if changes.links.isEmpty { return }
        var entities: [ObjectReference: Int] = [:]
        for staged in staged {
            if let row = staged.new, staged.old == nil { entities[identity(of: row)] = row.entityIndex }
        }
        func isGone(_ reference: ObjectReference) throws -> Bool {
            let root = ObjectReference(key: reference.key, entityIndex: shape.root(of: reference.entityIndex))
            return try entities[root] == nil && table.row(root) == nil
        }
        // Remove links before adding others.
        for isAdded in [false, true] {
            for link in changes.links where link.isAdded == isAdded {
                guard let relation = shape.relation(entityIndex: link.entityIndex, propertyIndex: link.propertyIndex)
                else { continue }
                let root = ObjectReference(key: key(link.owner), entityIndex: shape.root(of: link.entityIndex))
                let entityIndex = try entities[root] ?? table.row(root)?.entityIndex ?? link.entityIndex
                let owner = ObjectReference(key: root.key, entityIndex: entityIndex)
                let member = ObjectReference(key: key(link.member.key), entityIndex: link.member.entityIndex)
                if isAdded, try isGone(owner) || isGone(member) { continue }
                try stage(owner, member, relation, isAdded: isAdded)
            }
        }
    }

    private mutating func stage(_ owner: ObjectReference, _ member: ObjectReference, _ relation: Int, isAdded: Bool)
        throws
    {
        switch shape.relations[relation].kind {
        case .keys:
            preconditionFailure(
                "Only links of relationships without a to-one end are written as links: write the other end's reference"
            )
        case .linked(let inverse):
            if isAdded {
                edits.add(member, to: owner.key, relation)
                edits.add(owner, to: member.key, inverse)
            } else {
                edits.remove(member.key, from: owner.key, relation)
                edits.remove(owner.key, from: member.key, inverse)
            }
        case .free:
            if isAdded {
                try edits.move(member, to: owner.key, relation)
            } else {
                edits.remove(member.key, from: owner.key, relation)
            }
        }
    }

    private mutating func stageOrders() {
        for order in changes.orders {
            guard let relation = shape.relation(entityIndex: order.entityIndex, propertyIndex: order.propertyIndex)
            else { continue }
            guard shape.relations[relation].isOrdered else {
                preconditionFailure("Only an ordered relationship has an order")
            }
            edits.order(order.members.map { key($0.key) }, of: key(order.owner), relation)
        }
    }
}

extension PropertyValue {
    /// The first decimal of a composite that is NaN, and the path to it.
    fileprivate var unwritableDecimal: (path: [String], value: PropertyValue)? {
        switch self {
        case .decimal(let value): return value.isNaN ? ([], self) : nil
        case .composite(let parts):
            for (name, part) in parts.sorted(by: { $0.key < $1.key }) {
                if let found = part.unwritableDecimal { return ([name] + found.path, found.value) }
            }
            return nil
        default: return nil
        }
    }
}
