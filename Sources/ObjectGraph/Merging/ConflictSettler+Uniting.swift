import RowMemory
import Schema
import Storage

// The built-in policies for constraint conflicts: objects with equal unique values are merged into
// one, or keep their previous values.
extension ConflictSettler {
    func resolve(_ conflicts: [ConstraintConflict], by type: MergePolicyType) throws {
        let rows = try context.faults.storedRows(of: conflicts.compactMap(\.databaseObjectID))
        try context.tracker.withoutUndo {
            for conflict in conflicts {
                let objects = conflict.conflictingObjectIDs.compactMap { context.registeredObject(for: $0) }.filter {
                    $0.recordIndex >= 0 && !$0.state.contains(.deleted)
                }
                if let id = conflict.databaseObjectID {
                    // If the stored object was deleted meanwhile, there is no conflict.
                    guard let row = rows[id], let object = objects.first else { continue }
                    try unite(object, with: row, conflict, by: type)
                } else if objects.count > 1 {
                    try unite(objects, conflict, by: type)
                }
            }
        }
    }

    // MARK: Conflicts with stored objects

    func unite(_ object: ManagedObject, with stored: Row, _ conflict: ConstraintConflict, by type: MergePolicyType)
        throws
    {
        guard object.state.contains(.inserted) else { return try giveUpValues(object, conflict, by: type) }
        if type == .rollback { return discard(object) }
        // The entity of an object can't change.
        guard Int(object.entityIndex) == stored.entityIndex else { throw GraphError.constraint([conflict]) }
        takeIdentity(object, of: stored)
        let shape = context.shapes[stored.entityIndex]
        for property in shape.entity.properties where !property.isToMany && !property.isTransient {
            let slot = shape.layout.slots[property.index]
            let keepsStored = type == .mergeByPropertyStoreTrump && stored.hasValue(slot)
            set(
                keepsStored ? stored.slotValue(slot) : object.row.slotValue(slot), of: object, property.index,
                saved: stored.slotValue(slot))
        }
        for relation in shape.toManys where !relation.description.isTransient {
            _ = context.changes.touch(Int(object.recordIndex), property: relation.index)
            let batch = try context.store().related(
                entityIndex: relation.property.declaringEntityIndex, propertyIndex: relation.index,
                owners: [object.key], includingRows: true)
            let held = context.registry.adopt(batch.rows)
            withExtendedLifetime(held) {
                context.members.list(object, relation).becomeAddition(
                    to: ContiguousArray((batch.members.first ?? []).map { context.registry.object($0) }))
            }
        }
        context.news.refreshed.insert(object)
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    /// Makes a new object the context's object of a stored row, and removes the object that was
    /// registered for the row.
    func takeIdentity(_ object: ManagedObject, of stored: Row) {
        let (entityIndex, key) = (stored.entityIndex, stored.key)
        if let former = context.registry.identities[context.registry.rootIndex(entityIndex)].object(key),
            former !== object
        {
            replace(former, by: object)
        }
        if object.key > 0 {
            giveUpReservedKey(object, for: key)
        } else {
            // Undo groups may refer to the object by its temporary key.
            if context.undoManager != nil { context.tracker.permanentKeys.set(key, for: object.key) }
            context.keys.givePermanentKey(object, key)
            context.keys.replaceTemporaryKeys([[.passUnretained(object)]], savedObjects: nil)
        }
        object.state.remove([.inserted, .free])
        object.state.insert(.updated)
        object.row.version = stored.version
    }

    /// Replaces the primary key that was reserved for a new object before the save, as documents
    /// do, by that of a stored row. References to the reserved key are changed to the stored row,
    /// because no row will have the reserved key.
    func giveUpReservedKey(_ object: ManagedObject, for key: Int64) {
        let reserved = object.key, root = context.registry.rootIndex(Int(object.entityIndex))
        func moved(_ reference: ObjectReference?) -> ObjectReference? {
            guard let reference, reference.key == reserved, context.registry.rootIndex(reference.entityIndex) == root
            else {
                return nil
            }
            return ObjectReference(key: key, entityIndex: reference.entityIndex)
        }
        // Only objects with changes can refer to a new object.
        for index in context.changes.indices {
            guard let owner = context.changes.object(at: index), let row = owner.optionalRow else { continue }
            for relation in context.shapes[Int(owner.entityIndex)].toOnes {
                if let reference = moved(row.reference(relation.slot)) { row.setReference(reference, relation.slot) }
            }
            for place in context.changes.savedPositions(of: index) {
                if case .reference(let saved) = context.changes.saved[place].value, let reference = moved(saved) {
                    context.changes.replaceSaved(at: place, with: .reference(reference))
                }
            }
        }
        if context.undoManager != nil { context.tracker.permanentKeys.move(reserved, to: key, root: root) }
        context.registry.identities[root].remove(reserved)
        object.key = key
        object.row.key = key
        context.registry.identities[root].insert(object, key)
    }

    func replace(_ former: ManagedObject, by object: ManagedObject) {
        if former.optionalRow != nil {
            for case let relation? in context.shapes[Int(former.entityIndex)].relations {
                guard let inverse = relation.inverse, inverse.isToMany else { continue }
                for other in merging.knownTargets(of: former, relation) where !other.state.isFault {
                    other.existingList(context.registry.relation(other, inverse.index))?.exchange(former, for: object)
                }
            }
        }
        context.changes.remove(former)
        context.registry.unregister(former)
        former.state = .fault
        context.news.deleted.append(former)
    }

    /// Resolves a conflict between two stored objects, which are never merged: the object gets its
    /// previous values back, or the save fails.
    func giveUpValues(_ object: ManagedObject, _ conflict: ConstraintConflict, by type: MergePolicyType) throws {
        let shape = context.shapes[Int(object.entityIndex)]
        switch type {
        case .mergeByPropertyStoreTrump:
            for name in conflict.constraint {
                guard let index = shape.entity.propertyIndex(named: name) else { continue }
                let saved = ObjectChanges(object).committed(index, shape)
                set(saved, of: object, index, saved: saved)
            }
        case .rollback:
            for property in shape.entity.properties where !property.isToMany && !property.isTransient {
                let saved = ObjectChanges(object).committed(property.index, shape)
                set(saved, of: object, property.index, saved: saved)
            }
        case .error, .mergeByPropertyObjectTrump, .overwrite: throw GraphError.constraint([conflict])
        }
        context.news.refreshed.insert(object)
        object.awake(fromSnapshotEvents: .mergePolicy)
    }

    // MARK: Inside the context

    func unite(_ objects: [ManagedObject], _ conflict: ConstraintConflict, by type: MergePolicyType) throws {
        let stored = objects.filter { !$0.state.contains(.inserted) },
            new = objects.filter { $0.state.contains(.inserted) }
        for object in stored.dropFirst() { try giveUpValues(object, conflict, by: type) }
        if type == .rollback {
            // The first object is kept, unless a stored object has the values.
            for object in stored.isEmpty ? new.dropFirst() : new[...] { discard(object) }
            return
        }
        // The values of the last object are used; they are copied to the stored object if there is
        // one.
        guard let last = new.last else { return }
        let survivor = stored.first ?? last
        guard new.allSatisfy({ $0.entityIndex == survivor.entityIndex }) else {
            throw GraphError.constraint([conflict])
        }
        if survivor !== last, type != .mergeByPropertyStoreTrump {
            copyValues(of: last, to: survivor, onlyMissing: false)
        }
        for object in new.reversed() where object !== survivor {
            if type == .mergeByPropertyStoreTrump { copyValues(of: object, to: survivor, onlyMissing: true) }
            moveMembers(of: object, to: survivor)
            discard(object)
        }
        context.news.refreshed.insert(survivor)
        survivor.awake(fromSnapshotEvents: .mergePolicy)
    }

    func copyValues(of object: ManagedObject, to survivor: ManagedObject, onlyMissing: Bool) {
        let shape = context.shapes[Int(survivor.entityIndex)]
        for property in shape.entity.properties where !property.isToMany {
            let slot = shape.layout.slots[property.index]
            if onlyMissing && (survivor.row.hasValue(slot) || !object.row.hasValue(slot)) { continue }
            if let relation = shape.relations[property.index] {
                context.relationships.setTarget(survivor, relation, context.registry.target(object, slot))
            } else {
                context.tracker.willWrite(survivor, slot)
                survivor.row.setSlotValue(object.row.slotValue(slot), slot)
            }
        }
    }

    func moveMembers(of object: ManagedObject, to survivor: ManagedObject) {
        for relation in context.shapes[Int(object.entityIndex)].toManys {
            for member in object.existingList(relation)?.members ?? [] {
                context.relationships.add(member, to: survivor, relation)
            }
        }
    }

    /// Removes a new object as if it had never been inserted: its relationships are cleared, and
    /// its delete rules are not applied.
    func discard(_ object: ManagedObject) {
        for relation in context.shapes[Int(object.entityIndex)].toOnes where object.row.hasValue(relation.slot) {
            context.relationships.setTarget(object, relation, nil)
        }
        for relation in context.shapes[Int(object.entityIndex)].toManys {
            context.relationships.replaceMembers(of: object, relation, by: [])
        }
        context.changes.remove(object)
        context.news.forgotten.insert(object)
        context.registry.unregister(object)
        object.state = [.inserted, .deleted]
    }
}
