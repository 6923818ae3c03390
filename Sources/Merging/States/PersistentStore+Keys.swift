internal import RowMemory
internal import SQLiteStore
internal import Schema
internal import Storage

extension StoreBackend {
    /// The greatest key of a hierarchy, as far as the store knows of objects that it has no more.
    /// Of a store other than SQLite's, whose rows are all in memory, they are looked through.
    func greatestKey(_ root: EntityDescription) throws -> Int64 {
        if let store = self as? SQLitePersistentStore { return try store.greatestKey(entityIndex: root.index) }
        var last: Int64 = 0
        while true {
            let rows = try selection(
                .part(of: root.index, includesSubentities: true, after: last, limit: 8192), known: KnownKeys()
            ).rows
            guard let greatest = rows.keys.last else { return last }
            last = greatest
        }
    }
}
