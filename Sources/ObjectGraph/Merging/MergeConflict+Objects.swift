import Schema
import Storage

extension MergeConflict {
    /// The object that could not be saved, in the context that saves; nil in a context where it is
    /// not registered.
    public func sourceObject(in context: ManagedObjectContext) -> ManagedObject? {
        context.registeredObject(for: objectID)
    }
}

extension ConstraintConflict {
    /// The objects of the context with the same values. New objects are found only in the context
    /// that saves.
    public func conflictingObjects(in context: ManagedObjectContext) -> [ManagedObject] {
        conflictingObjectIDs.compactMap { context.registeredObject(for: $0) }
    }

    /// The object in the store that has the values, possibly a fault; nil if the conflict is within
    /// the context.
    public func databaseObject(in context: ManagedObjectContext) -> ManagedObject? {
        databaseObjectID.map { context.object(with: $0) }
    }
}

extension GraphError {
    package static func conflict(_ conflicts: [MergeConflict], underlying: (any Error)? = nil) -> GraphError {
        let message =
            conflicts.count == 1
            ? "\(conflicts[0].objectID.shortName) was changed in the store meanwhile"
            : "\(conflicts.count) objects were changed in the store meanwhile"
        return GraphError(
            .conflict, message, object: conflicts.first?.objectID, conflicts: conflicts, underlying: underlying)
    }

    static func constraint(_ conflicts: [ConstraintConflict], underlying: (any Error)? = nil) -> GraphError {
        let first = conflicts.first
        let keys = first?.constraint ?? []
        let objects =
            (first.map { Array($0.conflictingObjectIDs.reversed()) } ?? [])
            + [first?.databaseObjectID].compactMap { $0 }
        let message = objects.first.map { object in
            StorageError.notUnique(
                keys, StoreConflict(object: object, expectedVersion: 0, storedVersion: 0),
                holder: objects.count > 1 ? objects[1] : nil
            ).message
        }
        return GraphError(
            .constraint, message ?? "Another object has the same unique values",
            object: first?.conflictingObjectIDs.last, entity: first?.entityName, key: keys.count == 1 ? keys[0] : nil,
            keys: keys,
            objects: objects, constraintConflicts: conflicts, underlying: underlying)
    }
}
