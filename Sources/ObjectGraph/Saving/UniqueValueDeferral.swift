import RowMemory
import Schema
package import Storage

/// Keeps violations of uniqueness constraints from failing an autosave: values that are not unique
/// are left out of the save, and remain unsaved changes of the context.
package struct UniqueValueDeferral {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Restores the changes of an autosave that the store did not write, and prepares it again. If
    /// the merge policy does not resolve the failure, the new save leaves out the unique values
    /// that cause it.
    ///
    /// The first attempt leaves out values that two of the saved objects share. If the values that
    /// then remain in the store violate further constraints, the next attempt leaves out all unique
    /// values.
    /// - Returns: The save, and the values that it leaves out: pass them to ``takeUp(_:)`` once the
    ///   save is complete.
    /// - Throws: The error if it is not about unique values.
    package func prepareAutosave(again failed: PreparedSave, after error: any Error) throws -> (
        save: PreparedSave?, left: [PendingUniqueValue]
    ) {
        precondition(context.saveUnderWay?.number == failed.number, "This save is not the one that is under way")
        let isInterrupted = context.outcome.putBack() != nil
        guard !isInterrupted, let stored = error as? StorageError, stored.code == .constraint,
            failed.attempt <= Self.lastAttempt
        else { throw context.settler.translated(error) }
        context.processPendingChanges()
        if failed.attempt == 1, context.mergePolicy.mergeType != .error {
            do {
                try context.settler.settle(error)
                return (
                    context.preparation.beginSave(
                        validates: failed.validates, metadata: failed.changes.metadata, attempt: 2), []
                )
            } catch is GraphError {
                // Continue by leaving out the values that the policy can't resolve.
            }
        }
        var places: [ManagedObjectID: PropertySet] = [:]
        for (constraint, claimants) in failed.attempt < Self.lastAttempt
            ? try context.settler.claimsInConflict() : context.settler.allClaims()
        {
            for object in claimants {
                places[object.objectID, default: PropertySet()].formUnion(
                    context.settler.leftOut(of: object, constraint))
            }
        }
        guard !places.isEmpty else { throw context.settler.translated(error) }
        let left = places.flatMap { id, properties in
            properties.places.compactMap { index -> PendingUniqueValue? in
                guard let object = context.registeredObject(for: id) else { return nil }
                let shape = context.shapes[Int(object.entityIndex)]
                return PendingUniqueValue(
                    objectID: id, propertyName: shape.entity.properties[index].name,
                    value: context.settler.propertyValue(object.row.slotValue(shape.layout.slots[index])))
            }
        }
        var save = context.preparation.beginSave(
            validates: failed.validates, metadata: failed.changes.metadata,
            attempt: max(failed.attempt + 1, Self.lastAttempt))
        save?.changes.leaveOut(places) { context.shapes[$0].layout }
        return (save, left.sorted { ($0.objectID.key, $0.propertyName) < ($1.objectID.key, $1.propertyName) })
    }

    /// Makes the values unsaved changes of their objects again, since the store does not have them.
    /// They don't count as edits: neither undo nor the edit position is affected. Properties that
    /// were changed since keep their values.
    package func takeUp(_ pending: [PendingUniqueValue]) throws {
        guard !pending.isEmpty else { return }
        try context.edits.withoutEditing {
            for value in pending {
                let object: ManagedObject
                do {
                    object = try context.existingObject(with: value.objectID)
                } catch let error as GraphError where error.code == .objectNotFound {
                    continue
                }
                let index = object.entity.propertyIndex(named: value.propertyName)
                let isNewer =
                    index.map {
                        object.recordIndex >= 0 && context.changes.changed(at: Int(object.recordIndex)).contains($0)
                    } ?? true
                context.refresh(object, mergeChanges: true)
                if !isNewer { try object.setPropertyValue(value.value, forKey: value.propertyName) }
            }
        }
    }

    /// The number of the attempt that leaves out the values that are not unique. Attempt 2 uses the
    /// merge policy. If attempt 3 fails, a final attempt leaves out all unique values.
    private static let lastAttempt = 3
}
