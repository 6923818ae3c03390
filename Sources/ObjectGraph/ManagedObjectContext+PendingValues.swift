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
        outcome.putBack()
        guard let stored = error as? StorageError, stored.code == .constraint, failed.attempt <= Self.lastAttempt else { throw settler.translated(error) }
        processPendingChanges()
        if failed.attempt == 1, mergePolicy.mergeType != .error {
            do {
                try settler.settle(error)
                return (beginSave(validates: failed.validates, metadata: failed.changes.metadata, attempt: 2), [])
            } catch is GraphError {
                // What no policy settles waits.
            }
        }
        var places: [ManagedObjectID: PropertySet] = [:]
        for (constraint, claimants) in failed.attempt < Self.lastAttempt ? try settler.claimsInConflict() : settler.allClaims() {
            for object in claimants { places[object.objectID, default: PropertySet()].formUnion(settler.leftOut(of: object, constraint)) }
        }
        guard !places.isEmpty else { throw settler.translated(error) }
        let left = places.flatMap { id, properties in
            properties.places.compactMap { index -> PendingUniqueValue? in
                guard let object = registeredObject(for: id) else { return nil }
                let shape = shapes[Int(object.entityIndex)]
                return PendingUniqueValue(
                    objectID: id, propertyName: shape.entity.properties[index].name, value: propertyValue(object.row.slotValue(shape.layout.slots[index])))
            }
        }
        var save = beginSave(validates: failed.validates, metadata: failed.changes.metadata, attempt: max(failed.attempt + 1, Self.lastAttempt))
        save?.changes.leaveOut(places) { shapes[$0].layout }
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
}
