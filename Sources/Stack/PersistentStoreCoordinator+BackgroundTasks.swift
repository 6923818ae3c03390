public import ObjectGraph

extension PersistentStoreCoordinator {
    /// Runs `body` off the caller with a context of its own. Objects stay inside; values and object
    /// IDs come out. Changes that `body` does not save are lost.
    ///
    /// A coordinator is Sendable, so tasks can be started side by side, from the main actor too:
    /// ```swift
    /// let coordinator = container.persistentStoreCoordinator
    /// async let books = coordinator.performBackgroundTask { try importBooks(into: $0) }
    /// async let films = coordinator.performBackgroundTask { try importFilms(into: $0) }
    /// let counts = try await (books, films)
    /// ```
    /// Contexts that merge changes automatically show what `body` saved when they next process
    /// changes, fetch or save.
    /// - Throws: what `body` throws.
    @concurrent
    public func performBackgroundTask<Result: Sendable>(
        _ body: @escaping @Sendable (ManagedObjectContext) async throws -> Result
    ) async throws -> Result {
        let context = ManagedObjectContext(self)
        context.name = "background task"
        return try await body(context)
    }
}
