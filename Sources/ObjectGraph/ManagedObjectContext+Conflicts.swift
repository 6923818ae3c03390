import RowMemory
import Schema
import Storage

// What a save meets in the store: conflicts are looked up, the policy settles them in the context, and the save is prepared again.
extension ManagedObjectContext {
    /// Lets the merge policy settle what the store objected to.
    /// - Throws: what the policy throws, and for any other error that error.
    func settle(_ error: any Error) throws {
        guard let stored = error as? StorageError else { throw error }
        switch stored.code {
        case .conflict:
            try mergePolicy.resolve(optimisticLockingConflicts: try mergeConflicts(of: stored), in: self)
        case .constraint:
            let conflicts = try constraintConflicts()
            // What the constraints don't explain, such as a number that is taken, no policy can settle.
            guard !conflicts.isEmpty else { throw translated(error) }
            try mergePolicy.resolve(constraintConflicts: conflicts, in: self)
        default: throw translated(error)
        }
        processPendingChanges()
    }

    /// The error of the graph for what a store threw, where nobody tries again.
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
                .constraint, error.message, object: error.conflicts.first.map { ownID($0.object) }, entity: error.entities.first,
                key: error.keys.count == 1 ? error.keys[0] : nil, keys: error.keys,
                objects: (error.conflicts.map(\.object) + [error.holder].compactMap { $0 }).map { ownID($0) }, underlying: error)
        case .unstorable:
            let code: ValidationError.Code = if case .date = error.value { .invalidDate } else { .generic }
            return ValidationError([
                .init(
                    code, error.message, object: error.conflicts.first.map { ownID($0.object) }, entity: error.entities.first, key: error.keys.first,
                    value: error.value, underlying: error)
            ])
        default: return error
        }
    }

    /// The ID of an object that a store names by what the change set called it.
    private func ownID(_ id: ManagedObjectID) -> ManagedObjectID {
        id.isTemporaryID ? ManagedObjectID(store: temporaryIdentity, entityIndex: id.entityIndex, key: id.key) : id
    }

    private func mergeConflicts(of error: StorageError) throws -> [MergeConflict] {
        let rows = try storedRows(of: error.conflicts.map(\.object))
        return error.conflicts.map { conflict($0, rows[$0.object]) }
    }

    private func conflict(_ conflict: StoreConflict, _ row: Row?) -> MergeConflict {
        MergeConflict(
            objectID: conflict.object, oldVersion: conflict.expectedVersion, newVersion: row?.version ?? conflict.storedVersion,
            objectSnapshot: registeredObject(for: conflict.object).map { snapshot(of: $0) } ?? [:], persistedSnapshot: row.map { snapshot(of: $0) })
    }

    /// The rows that the store has now for some objects, in one trip for each hierarchy.
    func storedRows(of ids: [ManagedObjectID]) throws -> [ManagedObjectID: Row] {
        var keys: [Int: [Int64]] = [:]
        for id in ids { if let own = ownReference(of: id) { keys[rootIndex(own.entityIndex), default: []].append(own.key) } }
        var found: [ManagedObjectID: Row] = [:]
        for (root, keys) in keys {
            let rows = try store().rows(RowRequest(entityIndex: root, selection: .keys(keys)))
            for index in 0..<rows.count { found[objectID(key: rows[index].key, entityIndex: rows[index].entityIndex)] = rows[index] }
        }
        return found
    }

    /// What a row says: attributes, and to-one relationships as IDs.
    func snapshot(of row: Row) -> [String: PropertyValue] {
        let shape = shapes[row.entityIndex]
        var snapshot: [String: PropertyValue] = [:]
        for property in shape.entity.properties where !property.isToMany && !property.isTransient {
            snapshot[property.name] = propertyValue(row.slotValue(shape.layout.slots[property.index]))
        }
        return snapshot
    }

    func propertyValue(_ value: SlotValue) -> PropertyValue {
        switch value {
        case .value(let value): value
        case .reference(let reference): reference.map { .object(objectID(key: $0.key, entityIndex: $0.entityIndex)) } ?? .null
        }
    }

    /// Runs `body`, whose changes undo does not know of: they come from the store.
    func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
        let recorded = recordsUndo
        recordsUndo = false
        defer { recordsUndo = recorded }
        return try body()
    }
}
