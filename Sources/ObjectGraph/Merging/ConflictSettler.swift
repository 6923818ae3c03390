import RowMemory
import Schema
import Storage

/// Handles the conflicts that the store reported for a save: collects them, lets the merge policy
/// resolve them in the context, or translates them into a ``GraphError``.
struct ConflictSettler {
    let context: ManagedObjectContext
    let merging: ObjectMerging

    init(_ context: ManagedObjectContext) {
        self.context = context
        merging = ObjectMerging(context)
    }

    /// Lets the merge policy resolve the conflicts of an error of the store.
    /// - Throws: Errors of the policy; the error itself if it is not a conflict.
    func settle(_ error: any Error) throws {
        guard let stored = error as? StorageError else { throw error }
        switch stored.code {
        case .conflict:
            try context.mergePolicy.resolve(optimisticLockingConflicts: try mergeConflicts(of: stored), in: context)
        case .constraint:
            let conflicts = try constraintConflicts()
            // A policy can't resolve a failure that is not a violated constraint of the model, such
            // as a primary key in use.
            guard !conflicts.isEmpty else { throw translated(error) }
            try context.mergePolicy.resolve(constraintConflicts: conflicts, in: context)
        default: throw translated(error)
        }
        context.processPendingChanges()
    }

    /// The error to report for an error of the store, if the save is not retried.
    func translated(_ error: any Error) -> any Error {
        guard let error = error as? StorageError else { return error }
        switch error.code {
        case .conflict:
            let conflicts = try? mergeConflicts(of: error)
            return GraphError.conflict(conflicts ?? error.conflicts.map { conflict($0, nil) }, underlying: error)
        case .constraint:
            let conflicts = (try? constraintConflicts()) ?? []
            if !conflicts.isEmpty { return GraphError.constraint(conflicts, underlying: error) }
            return GraphError(
                .constraint, error.message, object: error.conflicts.first.map { ownID($0.object) },
                entity: error.entities.first,
                key: error.keys.count == 1 ? error.keys[0] : nil, keys: error.keys,
                objects: (error.conflicts.map(\.object) + [error.holder].compactMap { $0 }).map { ownID($0) },
                underlying: error)
        case .unstorable:
            let code: ValidationError.Code = if case .date = error.value { .invalidDate } else { .generic }
            return ValidationError([
                .init(
                    code, error.message, object: error.conflicts.first.map { ownID($0.object) },
                    entity: error.entities.first, key: error.keys.first,
                    value: error.value, underlying: error)
            ])
        default: return error
        }
    }

    /// The context's ID for an object that an error of the store names with the ID in the change
    /// set.
    func ownID(_ id: ManagedObjectID) -> ManagedObjectID {
        id.isTemporaryID
            ? ManagedObjectID(store: context.temporaryIdentity, entityIndex: id.entityIndex, key: id.key) : id
    }

    func mergeConflicts(of error: StorageError) throws -> [MergeConflict] {
        let rows = try context.faults.storedRows(of: error.conflicts.map(\.object))
        return error.conflicts.map { conflict($0, rows[$0.object]) }
    }

    func conflict(_ conflict: StoreConflict, _ row: Row?) -> MergeConflict {
        MergeConflict(
            objectID: conflict.object, oldVersion: conflict.expectedVersion,
            newVersion: row?.version ?? conflict.storedVersion,
            objectSnapshot: context.registeredObject(for: conflict.object).map { snapshot(of: $0) } ?? [:],
            persistedSnapshot: row.map { snapshot(of: $0) })
    }
}
