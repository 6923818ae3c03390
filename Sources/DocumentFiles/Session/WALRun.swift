internal import Foundation

/// One run of a document's WAL: from the first commit after the main file was complete, to the
/// checkpoint that copies everything into it. Each commit records the run in the store's metadata.
///
/// The run identifies a WAL that does not belong to the store: an outdated one, that of a copy that
/// was edited, or one beside a main file that was restored. SQLite would apply any of these and
/// show a mixture of both states.
package struct WALRun: Hashable, Sendable {
    /// Sixteen hexadecimal digits.
    package let id: String
    /// The commit counter of the main file when the run began.
    let baseCounter: Int
    let baseCommitted: Date

    init(id: String, baseCounter: Int, baseCommitted: Date) {
        self.id = id
        self.baseCounter = baseCounter
        self.baseCommitted = baseCommitted
    }
}
