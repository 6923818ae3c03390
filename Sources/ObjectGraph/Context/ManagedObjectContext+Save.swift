import RowMemory
import Schema
package import Storage

extension ManagedObjectContext {
    /// Writes all changes to the store: all of them, or nothing.
    ///
    /// Pending changes are processed, `willSave` is sent, everything is validated, and one transaction writes it. Objects that were changed in the store meanwhile are
    /// settled by the ``mergePolicy``. If it fails nothing is lost: the changes wait for another save or for ``rollback()``. Costs a transaction and time in proportion to
    /// the changes; without changes, nothing.
    /// - Throws: ``ValidationError`` with all violated rules, or with a value that the store can't keep, such as NaN in a SQLite store; ``GraphError`` with code
    ///   `conflict` or `constraint`; what the store throws. In a document `DocumentError` with code `usage`, but for a store by itself: the document saves.
    public func save() throws { try save(validates: true) }

    func save(validates: Bool) throws {
        if parent == nil { try persistentStoreCoordinator.checkSaving() }
        var next = try prepareSave(validates: validates, deletesMembers: true)
        while let prepared = next {
            do {
                let store = try store()
                completeSave(prepared, try store.apply(prepared.changes))
                if let union = store as? StoreUnion { persistentStoreCoordinator.forgetPendingMetadata(of: union) }
                return
            } catch {
                next = try prepareSave(again: prepared, after: error)
            }
        }
    }

    /// Takes a save's first half: what the store is to write, as values. The context counts further changes from here on.
    ///
    /// The caller has `changes` applied by the store, anywhere, and then calls ``completeSave(_:_:)`` or ``failSave(_:_:)`` here.
    /// - Parameters:
    ///   - validates: whether invalid objects fail the save; not so for an autosave.
    ///   - reservesKeys: whether new objects get their permanent numbers now. Needed where the application goes on while the store writes: a fetch could
    ///     otherwise see new rows whose objects it can't tell.
    ///   - metadata: for the store, in the same transaction.
    ///   - deletesMembers: whether the store may be left to find and delete what goes with deleted objects; where the change set goes to this context's own store.
    /// - Returns: nil if there is nothing to write: then the save has succeeded already.
    package func prepareSave(
        validates: Bool = true, reservesKeys: Bool = false, metadata: [String: MetadataValue?] = [:], deletesMembers: Bool = false
    ) throws -> PreparedSave? {
        precondition(saveUnderWay == nil, "A save of this context is under way: wait for it to end")
        try preparation.throwLoadError()
        collectsMemberDeletions = deletesMembers && deletions.deletesUnseen
        defer { collectsMemberDeletions = false }
        do {
            try preparation.collectChanges()
            try preparation.throwLoadError()
            if validates { try validator.validateChanges() }
            if reservesKeys { try keys.obtainPermanentIDsForInsertedObjects() }
        } catch {
            deletions.postponeMemberDeletions(memberDeletions)
            memberDeletions = []
            throw error
        }
        return preparation.beginSave(validates: validates, metadata: metadata, attempt: 1)
    }

    /// Puts the changes of a save back that the store did not write, lets the merge policy settle why, and prepares the save again.
    /// - Returns: nil if nothing is left to write: then the save has succeeded.
    /// - Throws: the error to throw where no policy can settle it.
    package func prepareSave(again failed: PreparedSave, after error: any Error) throws -> PreparedSave? {
        precondition(saveUnderWay?.number == failed.number, "This save is not the one that is under way")
        // Whoever has rolled back or reset meanwhile wants nothing settled.
        guard outcome.putBack() == nil else { throw settler.translated(error) }
        // What is settled is settled with the store as it is now.
        moveGenerationForward()
        // Others may write faster than this context reads.
        guard failed.attempt < Self.mostAttempts else { throw settler.translated(error) }
        processPendingChanges()
        try settler.settle(error)
        try preparation.throwLoadError()
        if failed.validates { try validator.validateChanges() }
        return preparation.beginSave(validates: failed.validates, metadata: failed.changes.metadata, attempt: failed.attempt + 1)
    }

    var changeOrigin: ChangeOrigin { ChangeOrigin(author: transactionAuthor, contextName: name) }

    private static let mostAttempts = 20

    /// Accepts what the store has written: new objects get their permanent IDs, and what was saved is clean.
    package func completeSave(_ prepared: PreparedSave, _ receipt: SaveReceipt) {
        precondition(saveUnderWay?.number == prepared.number, "This save is not the one that is under way")
        outcome.accept(receipt)
    }

    /// Puts the changes of a save back, which the store did not write.
    /// - Returns: the error to throw.
    package func failSave(_ prepared: PreparedSave, _ error: any Error) -> any Error {
        precondition(saveUnderWay?.number == prepared.number, "This save is not the one that is under way")
        outcome.putBack()
        return settler.translated(error)
    }

    // MARK: The steps
}
