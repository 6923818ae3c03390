import RowMemory
import Schema
import Storage

// What becomes of unique values in an autosave, which never fails for them: those that two objects have stay out of the store and go on being changes here.
extension ManagedObjectContext {
    /// Puts the changes of an autosave back that the store did not write, and prepares it again as the merge policy settles it; where that does not, without the unique values that
    /// stand in its way.
    ///
    /// At first those are left out that two objects have; where what stays in the store for them is in the way of others, all unique values that would be written.
    /// - Returns: The save, and what it leaves out: for ``takeUp(_:)`` once it is complete.
    /// - Throws: the error where it is none of unique values.
    package func prepareAutosave(again failed: PreparedSave, after error: any Error) throws -> (save: PreparedSave?, left: [PendingUniqueValue]) {
        precondition(saveUnderWay?.number == failed.number, "This save is not the one that is under way")
        putBack()
        guard let stored = error as? StorageError, stored.code == .constraint, failed.attempt <= Self.lastAttempt else { throw translated(error) }
        processPendingChanges()
        if failed.attempt == 1, mergePolicy.mergeType != .error {
            do {
                try settle(error)
                return (beginSave(validates: failed.validates, metadata: failed.changes.metadata, attempt: 2), [])
            } catch is GraphError {
                // What no policy settles waits.
            }
        }
        var places: [ManagedObjectID: PropertySet] = [:]
        for (constraint, claimants) in failed.attempt < Self.lastAttempt ? try claimsInConflict() : allClaims() {
            for object in claimants { places[object.objectID, default: PropertySet()].formUnion(leftOut(of: object, constraint)) }
        }
        guard !places.isEmpty else { throw translated(error) }
        let left = places.flatMap { id, properties in
            properties.places.compactMap { index -> PendingUniqueValue? in
                guard let object = registeredObject(for: id) else { return nil }
                let shape = shapes[Int(object.entityIndex)]
                return PendingUniqueValue(
                    objectID: id, propertyName: shape.entity.properties[index].name, value: propertyValue(object.row.slotValue(shape.layout.slots[index])))
            }
        }
        var save = beginSave(validates: failed.validates, metadata: failed.changes.metadata, attempt: max(failed.attempt + 1, Self.lastAttempt))
        save?.changes.leaveOut(places) { self.shapes[$0].layout }
        return (save, left.sorted { ($0.objectID.key, $0.propertyName) < ($1.objectID.key, $1.propertyName) })
    }

    /// The policy's attempt is the second, that without what two objects have the third.
    private static let lastAttempt = 3

    /// Makes values changes of their objects that the store lacks. No edits: neither undo nor the position of the edits knows of them. What was changed here since stays.
    package func takeUp(_ pending: [PendingUniqueValue]) throws {
        guard !pending.isEmpty else { return }
        try withoutEditing {
            for value in pending {
                let object: ManagedObject
                do {
                    object = try existingObject(with: value.objectID)
                } catch let error as GraphError where error.code == .objectNotFound {
                    continue
                }
                let index = object.entity.propertyIndex(named: value.propertyName)
                let isNewer = index.map { object.recordIndex >= 0 && changes.changed(at: Int(object.recordIndex)).contains($0) } ?? true
                refresh(object, mergeChanges: true)
                if !isNewer { try object.setPropertyValue(value.value, forKey: value.propertyName) }
            }
        }
    }

    private func claimsInConflict() throws -> [(UniquenessConstraint, [ManagedObject])] {
        try constraintConflicts().compactMap { conflict in
            guard let constraint = persistentStoreCoordinator.constraints.first(where: { $0.declaringName == conflict.entityName && $0.names == conflict.constraint }) else { return nil }
            return (constraint, conflict.conflictingObjectIDs.compactMap { registeredObject(for: $0) })
        }
    }

    private func allClaims() -> [(UniquenessConstraint, [ManagedObject])] {
        persistentStoreCoordinator.constraints.map { ($0, claims(of: $0).claimants.values.flatMap { $0 }) }
    }

    /// Which properties of a claimant the store is not to be given: of a new object one is enough, for nothing equals nil; a saved one keeps all its old values.
    private func leftOut(of object: ManagedObject, _ constraint: UniquenessConstraint) -> PropertySet {
        var properties = PropertySet()
        if object.state.contains(.inserted) {
            let entity = shapes[Int(object.entityIndex)].entity
            let attribute = constraint.slots.first { entity.properties[Int($0.index)].attribute != nil }
            if let slot = attribute ?? constraint.slots.first { properties.insert(Int(slot.index)) }
        } else if object.recordIndex >= 0 {
            for slot in constraint.slots where changes.changed(at: Int(object.recordIndex)).contains(Int(slot.index)) { properties.insert(Int(slot.index)) }
        }
        return properties
    }
}

extension ChangeSet {
    /// Takes values of objects out: new rows lack them, changed ones keep what the store has.
    fileprivate mutating func leaveOut(_ places: [ManagedObjectID: PropertySet], layout: (Int) -> RowLayout) {
        var keys: [Int: [Int64: PropertySet]] = [:]
        for (id, properties) in places { keys[id.entityIndex, default: [:]][id.key] = properties }
        for group in insertions.indices {
            guard let left = keys[insertions[group].entityIndex] else { continue }
            let rows = insertions[group].rows, slots = layout(insertions[group].entityIndex).slots
            var kept = RowBatch()
            for index in 0..<rows.count {
                let row = kept.append(copyOf: rows[index])
                if let properties = left[row.key] { for property in properties.places { row.clear(slots[property]) } }
            }
            insertions[group].rows = kept
        }
        for group in updates.indices {
            guard let left = keys[updates[group].entityIndex] else { continue }
            for index in 0..<updates[group].rows.count {
                if let properties = left[updates[group].rows[index].key] { for property in properties.places { updates[group].changed[index].remove(property) } }
            }
        }
    }
}
