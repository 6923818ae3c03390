import RowMemory
import Schema
import Storage

// Applies the save of a child context to its parent. The changes are made in the same way as those
// of the application: inverses are updated, undo records them, and the next save writes them.
struct ChildSave {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// - Throws: `StorageError` with code `conflict` if objects no longer exist here; nothing is
    ///   changed then.
    func take(_ changes: ChangeSet) throws -> SaveReceipt {
        context.processPendingChanges()
        let updates = try changes.updates.map { group in
            try targets(of: (0..<group.rows.count).map { group.rows[$0].key }, group.entityIndex)
        }
        // An object that is deleted in both contexts needs no change.
        let deletions = try changes.deletions.compactMap { try target(of: $0.key, $0.entityIndex) }
        var fresh: [(ManagedObject, Row)] = []
        for group in changes.insertions {
            for index in 0..<group.rows.count { fresh.append((takeInsertion(group.rows[index]), group.rows[index])) }
        }
        for (object, row) in fresh {
            for relation in context.shapes[Int(object.entityIndex)].toOnes { take(row, relation, object) }
        }
        for (group, objects) in zip(changes.updates, updates) {
            for (index, object) in objects.enumerated() { take(group.rows[index], group.changed[index], object) }
        }
        for link in changes.links { take(link) }
        for order in changes.orders { take(order) }
        for object in deletions { context.deletions.markDeleted(object) }
        context.processPendingChanges()
        return SaveReceipt(keys: changes.insertions.map { group in (0..<group.rows.count).map { group.rows[$0].key } })
    }

    func targets(of keys: [Int64], _ entityIndex: Int) throws -> [ManagedObject] {
        try keys.map { key in
            if let object = try target(of: key, entityIndex) { return object }
            let id = context.lookup.objectID(key: key, entityIndex: entityIndex)
            throw StorageError(
                .conflict, "An object was deleted in the parent context since it was read",
                conflicts: [StoreConflict(object: id, expectedVersion: 1, storedVersion: 0)])
        }
    }

    /// - Returns: Nil for an object that is deleted here, or missing in the store.
    func target(of key: Int64, _ entityIndex: Int) throws -> ManagedObject? {
        let object = context.registry.object(ObjectReference(key: key, entityIndex: entityIndex))
        do { try context.faults.fulfillFault(object) } catch let error as GraphError where error.code == .objectNotFound
        {
            return nil
        }
        return object.state.contains(.deleted) ? nil : object
    }

    func takeInsertion(_ row: Row) -> ManagedObject {
        let shape = context.shapes[row.entityIndex]
        if let known = context.registry.registered(ObjectReference(key: row.key, entityIndex: row.entityIndex)) {
            // The child deleted the object, saved, and then undid the deletion.
            known.state.remove(.deleted)
            if !known.state.contains(.inserted) { known.state.insert(.updated) }
            if known.recordIndex < 0 { context.changes.insert(known) }
            for slot in shape.layout.slots where slot.kind != .toMany && slot.kind != .toOne { take(row, slot, known) }
            return known
        }
        let copy = context.registry.newRows.makeRow(shape.layout, key: row.key)
        for slot in shape.layout.slots where slot.kind != .toMany && slot.kind != .toOne {
            copy.copyValue(of: slot, from: row)
        }
        let object = shape.objectClass.init(
            ManagedObjectSeed(
                context.registry, entityIndex: row.entityIndex, key: row.key, copy.slab, copy.cells, [.inserted, .free])
        )
        context.registry.register(object)
        context.changes.insert(object)
        context.tracker.log(.inserted(object))
        return object
    }

    func take(_ row: Row, _ changed: PropertySet, _ object: ManagedObject) {
        let shape = context.shapes[Int(object.entityIndex)]
        for property in changed.places {
            if let relation = shape.relations[property] {
                take(row, relation, object)
            } else {
                take(row, shape.layout.slots[property], object)
            }
        }
    }

    func take(_ row: Row, _ slot: RowSlot, _ object: ManagedObject) {
        context.tracker.willWrite(object, slot)
        object.row.copyValue(of: slot, from: row)
    }

    func take(_ row: Row, _ relation: EntityShape.Relation, _ object: ManagedObject) {
        let reference = row.reference(relation.slot)
        if object.row.reference(relation.slot)?.key != reference?.key {
            context.relationships.setTarget(object, relation, reference.map { context.registry.object($0) })
        }
    }

    func take(_ link: ChangeSet.Link) {
        let owner = context.registry.object(ObjectReference(key: link.owner, entityIndex: link.entityIndex)),
            member = context.registry.object(link.member)
        guard owner.fireFault(), member.fireFault() else { return }
        // The deletion here removes the link.
        if !link.isAdded, owner.state.contains(.deleted) || member.state.contains(.deleted) { return }
        let relation = context.registry.relation(owner, link.propertyIndex)
        if link.isAdded {
            context.relationships.add(member, to: owner, relation)
        } else {
            context.relationships.remove(member, from: owner, relation)
        }
    }

    func take(_ order: ChangeSet.Order) {
        let owner = context.registry.object(ObjectReference(key: order.owner, entityIndex: order.entityIndex))
        guard owner.fireFault() else { return }
        let relation = context.registry.relation(owner, order.propertyIndex)
        let present = context.members.loadedList(owner, relation).members
        let wanted = order.members.map { context.registry.object($0) }, known = Set(present), placed = Set(wanted)
        let ordered = ContiguousArray(wanted.filter { known.contains($0) }) + present.filter { !placed.contains($0) }
        if !ordered.elementsEqual(present, by: ===) { context.relationships.reorder(owner, relation, ordered) }
    }
}
