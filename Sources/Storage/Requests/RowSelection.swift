/// The result of a request with ``KnownKeys``: rows, and between them the keys of objects whose
/// values the caller has in memory.
package struct RowSelection: Sendable {
    /// One object of the result.
    package struct Entry: Sendable, Hashable {
        /// The primary key of a known object; 0 for the next element of `rows`.
        package let key: Int64
        /// The version of the object in the store.
        package let version: Int64

        package static let row = Entry(key: 0, version: 0)

        package init(key: Int64, version: Int64) {
            self.key = key
            self.version = version
        }
    }

    package var rows: RowBatch
    /// The objects in the order of the request; empty if no object is known, so that all objects
    /// are rows.
    package var entries: ContiguousArray<Entry>

    package init(rows: RowBatch = RowBatch(), entries: ContiguousArray<Entry> = []) {
        self.rows = rows
        self.entries = entries
    }
}
