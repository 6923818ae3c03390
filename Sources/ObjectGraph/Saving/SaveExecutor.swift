import Storage

/// Executes saves. A save is prepared in the context, written by the store, and then completed or
/// undone in the context. If the store reports a conflict, the merge policy resolves it and the
/// save is prepared again.
struct SaveExecutor {
    private static let mostAttempts = 20

    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    func save(validates: Bool) throws {
        if context.parent == nil { try context.persistentStoreCoordinator.check(.save) }
        var next = try prepare(validates: validates, deletesMembers: true)
        while let prepared = next {
            do {
                let store = try context.store()
                complete(prepared, try store.apply(prepared.changes))
                if let union = store as? StoreUnion {
                    context.persistentStoreCoordinator.forgetPendingMetadata(of: union)
                }
                return
            } catch {
                next = try prepare(again: prepared, after: error)
            }
        }
    }

    func prepare(
        validates: Bool, reservesKeys: Bool = false, metadata: [String: MetadataValue?] = [:], deletesMembers: Bool
    ) throws -> PreparedSave? {
        precondition(context.saveUnderWay == nil, "A save of this context is under way: wait for it to end")
        try context.preparation.throwLoadError()
        context.pendingDeletions.beginCollecting(deletesMembers && context.deletions.deletesUnseen)
        do {
            try context.preparation.collectChanges()
            try context.preparation.throwLoadError()
            context.keys.removeReferencesToUnsavedDeletions()
            if validates { try context.validator.validateChanges() }
            try context.settler.settleWatchedObjects()
            try context.keys.identifyInsertedObjects()
            if reservesKeys { try context.keys.obtainPermanentIDsForInsertedObjects() }
        } catch {
            context.pendingDeletions.postponeCollected()
            throw error
        }
        return context.preparation.beginSave(validates: validates, metadata: metadata, attempt: 1)
    }

    /// Restores the changes of a save that the store did not write, and prepares it again.
    func prepare(again failed: PreparedSave, after error: any Error) throws -> PreparedSave? {
        precondition(context.saveUnderWay?.number == failed.number, "This save is not the one that is under way")
        // After a rollback or reset in the meantime, there is nothing left to resolve.
        guard context.outcome.putBack() == nil else { throw context.settler.translated(error) }
        // Conflicts are resolved with the current state of the store.
        context.reader.moveForward()
        // Other processes may write faster than this context can merge.
        guard failed.attempt < Self.mostAttempts else { throw context.settler.translated(error) }
        context.processPendingChanges()
        try context.settler.settle(error)
        try context.preparation.throwLoadError()
        if failed.validates { try context.validator.validateChanges() }
        try context.keys.identifyInsertedObjects()
        return context.preparation.beginSave(
            validates: failed.validates, metadata: failed.changes.metadata, attempt: failed.attempt + 1)
    }

    func complete(_ prepared: PreparedSave, _ receipt: SaveReceipt) {
        precondition(context.saveUnderWay?.number == prepared.number, "This save is not the one that is under way")
        context.watchedObjects = []
        context.outcome.accept(receipt)
    }

    func fail(_ prepared: PreparedSave, _ error: any Error) -> any Error {
        precondition(context.saveUnderWay?.number == prepared.number, "This save is not the one that is under way")
        context.outcome.putBack()
        return context.settler.translated(error)
    }

    /// Lets `write` save the changes without validation.
    func writeUnchecked(_ write: (ChangeSet) throws -> SaveReceipt) throws {
        guard let prepared = try prepare(validates: false, deletesMembers: false) else { return }
        do { complete(prepared, try write(prepared.changes)) } catch { throw fail(prepared, error) }
    }

    /// The validation failures of the changes, as a save would find them.
    func validationFailures(limit: Int, excluding excluded: Set<ManagedObject>) throws -> [ValidationError.Failure] {
        try context.preparation.throwLoadError()
        try context.preparation.collectChanges()
        try context.preparation.throwLoadError()
        do { try context.validator.validateChanges(limit: limit, excluding: excluded) } catch let error
            as ValidationError
        { return error.failures }
        return []
    }
}
