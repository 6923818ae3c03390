public import ObjectGraph

extension PersistentStoreCoordinator {
    /// Runs a function with a context of its own, outside of the caller's isolation domain, and
    /// returns its result. The result can't contain objects; return values and object IDs. Changes
    /// that the function does not save are lost.
    ///
    /// A coordinator is `Sendable`, so several tasks can run in parallel, also when started from
    /// the main actor:
    /// ```swift
    /// let coordinator = container.persistentStoreCoordinator
    /// async let books = coordinator.performBackgroundTask { try importBooks(into: $0) }
    /// async let films = coordinator.performBackgroundTask { try importFilms(into: $0) }
    /// let counts = try await (books, films)
    /// ```
    /// Contexts that merge changes automatically show the saved changes when they next process
    /// changes, fetch or save.
    ///
    /// - Throws: Errors of the function.
    @concurrent
    public func performBackgroundTask<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) async throws -> Result
    ) async throws -> Result {
        let context = ManagedObjectContext(self)
        context.name = "background task"
        return try await body(context)
    }
}
