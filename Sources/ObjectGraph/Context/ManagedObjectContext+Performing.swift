extension ManagedObjectContext {
    /// Runs a block at once and returns its result.
    ///
    /// A context belongs to the isolation domain that created it, and the compiler checks that, so
    /// nothing has to be scheduled. The method is for code that was written for Core Data's queues.
    /// As there, pending changes stay pending at its end.
    public func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result { try block() }

    /// Runs an asynchronous block in the isolation domain of the caller and returns its result. At
    /// the end of the block, pending changes are processed, as by ``processPendingChanges()``.
    ///
    /// ```swift
    /// let count = try await context.perform { try context.count(for: request) }
    /// ```
    public nonisolated(nonsending) func perform<Result>(_ block: nonisolated(nonsending) () async throws -> Result)
        async rethrows -> Result
    {
        defer { processPendingChanges() }
        return try await block()
    }

    /// Lets the next save detect whether an object changed in the store although this context does
    /// not change it, for example because other changes depend on its values.
    ///
    /// The merge policy resolves the conflict; the policy `error`, the default, fails the save. The
    /// save reads the version of the object, one query for each hierarchy of entities. Faults are
    /// not compared, and a child context compares with its parent's saved versions. A successful
    /// save, ``rollback()`` and ``reset()`` end the detection.
    public func detectConflicts(for object: ManagedObject) { nextSave.watchedObjects.insert(object.objectID) }
}
