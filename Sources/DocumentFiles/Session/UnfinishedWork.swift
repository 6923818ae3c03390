/// Reports work that an operation left unfinished after its commit.
///
/// Once an operation has committed, its result is final. Work after the commit, such as closing
/// files, checkpointing the WAL or deleting files, is repeated by the next opening if it fails. The
/// operation succeeds then, and the failure is reported here.
///
/// ```swift
/// try await UnfinishedWork.reporting(to: { print("done, but left undone:", $0) }) {
///     try await PersistentDocument.restore(url, to: 3)
/// }
/// ```
/// Saves of an open document report it in ``PersistentDocument/postCommitError`` instead.
public enum UnfinishedWork {
    /// Called with each error; nil if errors are ignored.
    @TaskLocal private static var handler: (@Sendable (any Error) -> Void)?

    /// Runs operations, and calls a handler for each error after their commit, on the thread of the
    /// operation.
    ///
    /// - Throws: Errors of `operations`.
    public static func reporting<Result>(
        to handler: @escaping @Sendable (any Error) -> Void, _ operations: () async throws -> Result
    ) async rethrows -> Result {
        try await $handler.withValue(handler) { try await operations() }
    }

    /// Runs work after a commit, and reports its error instead of throwing it.
    package static func noting(_ body: () throws -> Void) {
        do { try body() } catch { handler?(error) }
    }
}
