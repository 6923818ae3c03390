import RowMemory
import Schema
import Storage

/// Keeps violations of uniqueness constraints from failing an autosave: values that are not unique
/// are left out of the save, and remain unsaved changes of the context.
struct UniqueValueDeferral {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    func prepareAutosave(again failed: PreparedSave, after error: any Error) throws -> (
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

    func takeUp(_ pending: [PendingUniqueValue]) throws {
        guard !pending.isEmpty else { return }
        try context.withoutEditing {
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
