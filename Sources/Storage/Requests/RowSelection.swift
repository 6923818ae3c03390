/// The answer to a request that came with ``KnownKeys``: rows, and between them the numbers of
/// objects whose values the caller has.
package struct RowSelection: Sendable {
    /// One object of the answer.
    package struct Entry: Sendable, Hashable {
        /// The number of a known object; 0 for the next of `rows`.
        package let key: Int64
        /// Its version in the store.
        package let version: Int64

        package static let row = Entry(key: 0, version: 0)

        package init(key: Int64, version: Int64) {
            self.key = key
            self.version = version
        }
    }

    package var rows: RowBatch
    /// In the order of the request; empty where no object is known, so that all are rows.
    package var entries: ContiguousArray<Entry>

    package init(rows: RowBatch = RowBatch(), entries: ContiguousArray<Entry> = []) {
        self.rows = rows
        self.entries = entries
    }
}
