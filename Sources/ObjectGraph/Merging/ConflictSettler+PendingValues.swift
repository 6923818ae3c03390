import RowMemory
import Schema
import Storage

// Unique values that an autosave leaves out of the store.
extension ConflictSettler {
    func claimsInConflict() throws -> [(UniquenessConstraint, [ManagedObject])] {
        try constraintConflicts().compactMap { conflict in
            guard
                let constraint = context.persistentStoreCoordinator.constraints.first(where: {
                    $0.declaringName == conflict.entityName && $0.names == conflict.constraint
                })
            else { return nil }
            return (constraint, conflict.conflictingObjectIDs.compactMap { context.registeredObject(for: $0) })
        }
    }

    func allClaims() -> [(UniquenessConstraint, [ManagedObject])] {
        context.persistentStoreCoordinator.constraints.map { ($0, claims(of: $0).claimants.values.flatMap { $0 }) }
    }

    /// The properties of a claimant to leave out of the save. For a new object one property
    /// suffices, since nil is not equal to nil. A saved object keeps all its old values of the
    /// constraint.
    func leftOut(of object: ManagedObject, _ constraint: UniquenessConstraint) -> PropertySet {
        var properties = PropertySet()
        if object.state.contains(.inserted) {
            let entity = context.shapes[Int(object.entityIndex)].entity
            let attribute = constraint.slots.first { entity.properties[Int($0.index)].attribute != nil }
            if let slot = attribute ?? constraint.slots.first { properties.insert(Int(slot.index)) }
        } else if object.recordIndex >= 0 {
            for slot in constraint.slots
            where context.changes.changed(at: Int(object.recordIndex)).contains(Int(slot.index)) {
                properties.insert(Int(slot.index))
            }
        }
        return properties
    }
}

extension ChangeSet {
    /// Removes values of objects: inserted rows get nil, updated rows keep the value in the store.
    mutating func leaveOut(_ places: [ManagedObjectID: PropertySet], layout: (Int) -> RowLayout) {
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
                if let properties = left[updates[group].rows[index].key] {
                    for property in properties.places { updates[group].changed[index].remove(property) }
                }
            }
        }
    }
}
