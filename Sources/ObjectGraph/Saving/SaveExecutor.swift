package import Storage

/// Executes saves. A save is prepared in the context, written by the store, and then completed or
/// undone in the context. If the store reports a conflict, the merge policy resolves it and the
/// save is prepared again.
package struct SaveExecutor {
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

    /// Performs the first half of a save: determines, as values, the changes that the store has to
    /// write. Later changes of the context belong to the next save.
    ///
    /// The caller lets the store apply `changes`, in any isolation domain, and then calls
    /// ``complete(_:_:)`` or ``fail(_:_:)`` in the domain of the context.
    /// - Parameters:
    ///   - validates: Whether invalid objects fail the save. False for an autosave.
    ///   - reservesKeys: Whether new objects get their permanent primary keys now. Necessary if the
    ///     application continues while the store writes: otherwise a fetch could return new rows
    ///     that can't be matched with their objects.
    ///   - metadata: Metadata for the store, written in the same transaction.
    ///   - deletesMembers: Whether the store may find and delete the objects that delete rules
    ///     delete together with others. Only if the change set is applied to this context's own
    ///     store.
    /// - Returns: Nil if there is nothing to write, in which case the save has succeeded.
    package func prepare(
        validates: Bool = true, reservesKeys: Bool = false, metadata: [String: MetadataValue?] = [:],
        deletesMembers: Bool = false
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

    /// The objects of the save that a store is writing; nil while none is.
    package var objectsBeingSaved: ObjectsBeingSaved? {
        context.saveUnderWay.map { ObjectsBeingSaved($0, context.shapes) }
    }

    /// Restores the changes of a save that the store did not write, lets the merge policy resolve
    /// the conflicts, and prepares the save again.
    /// - Returns: Nil if nothing is left to write, in which case the save has succeeded.
    /// - Throws: The error of the save if the merge policy can't resolve it.
    package func prepare(again failed: PreparedSave, after error: any Error) throws -> PreparedSave? {
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

    /// Completes a save that the store has written: new objects get their permanent IDs, and saved
    /// objects become clean.
    package func complete(_ prepared: PreparedSave, _ receipt: SaveReceipt) {
        precondition(context.saveUnderWay?.number == prepared.number, "This save is not the one that is under way")
        context.nextSave.watchedObjects = []
        context.outcome.accept(receipt)
    }

    /// Restores the changes of a save that the store did not write.
    /// - Returns: The error to throw.
    package func fail(_ prepared: PreparedSave, _ error: any Error) -> any Error {
        precondition(context.saveUnderWay?.number == prepared.number, "This save is not the one that is under way")
        context.outcome.putBack()
        let failure = context.settler.translated(error)
        context.merging.mergeSavesDuringSave()
        return failure
    }

    /// Lets `write` save the changes of this context without validation. Afterwards the objects are
    /// clean, and the context no longer retains them.
    package func writeUnchecked(_ write: (ChangeSet) throws -> SaveReceipt) throws {
        guard let prepared = try prepare(validates: false, deletesMembers: false) else { return }
        do { complete(prepared, try write(prepared.changes)) } catch { throw fail(prepared, error) }
    }

    /// Finds what a store would refuse for values that are not unique. Reads the store; nothing is
    /// written.
    /// - Throws: ``GraphError`` with code `constraint`, as a save throws it if the merge policy
    ///   resolves nothing; errors of reading the store.
    package func checkUniqueness() throws {
        let conflicts = try context.settler.constraintConflicts()
        if !conflicts.isEmpty { throw GraphError.constraint(conflicts) }
    }

    /// The deletions among the unsaved changes that a delete rule denies.
    package func deniedDeletions() throws -> [DeniedDeletion] { try context.validator.deniedDeletions() }

    /// The validation failures of this context's changes, as a save would find them: those of the
    /// first `limit` invalid objects, not counting `excluded` objects.
    /// - Throws: Errors of validation methods of the application, and errors of reading the store.
    package func validationFailures(limit: Int, excluding excluded: Set<ManagedObject> = []) throws -> [ValidationError
        .Failure]
    {
        try context.preparation.throwLoadError()
        try context.preparation.collectChanges()
        try context.preparation.throwLoadError()
        do { try context.validator.validateChanges(limit: limit, excluding: excluded) } catch {
            guard let read = ValidationError(reading: error) else { throw error }
            return read.failures
        }
        return []
    }
}
