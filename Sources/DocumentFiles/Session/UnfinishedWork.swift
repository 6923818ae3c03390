/// What operations leave undone after their commit.
///
/// From its commit on the result of an operation stands. What follows, such as closing files,
/// bringing the WAL into the main file or removing what is not needed, is done by the next opening
/// where something hinders it: no reason to do the work again, so the operation succeeds, and says
/// here what hindered it.
///
/// ```swift
/// try await UnfinishedWork.reporting(to: { print("done, but left undone:", $0) }) {
///     try await PersistentDocument.restore(url, to: 3)
/// }
/// ```
/// Saves of an open document say it by ``PersistentDocument/unfinishedSave`` instead.
public enum UnfinishedWork {
    /// Told of each error; nil for nobody.
    @TaskLocal private static var handler: (@Sendable (any Error) -> Void)?

    /// Runs operations, and tells `handler` of each error that leaves something undone after their
    /// commit, on the thread of the operation.
    /// - Throws: What `operations` throws.
    public static func reporting<Result>(
        to handler: @escaping @Sendable (any Error) -> Void, _ operations: () async throws -> Result
    ) async rethrows -> Result {
        try await $handler.withValue(handler) { try await operations() }
    }

    /// Runs what follows a commit, as far as it goes.
    package static func noting(_ body: () throws -> Void) {
        do { try body() } catch { handler?(error) }
    }
}
