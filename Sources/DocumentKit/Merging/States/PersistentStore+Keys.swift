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
        try forEachKey(root) { last = $0 }
        return last
    }

    /// Calls a function with the keys of all objects of a hierarchy, in ascending order.
    func forEachKey(_ root: EntityDescription, _ body: (Int64) -> Void) throws {
        var last: Int64 = 0
        while true {
            let rows = try rows(.part(of: root.index, includesSubentities: true, after: last, limit: 8192))
            guard !rows.isEmpty else { return }
            for index in 0..<rows.count { body(rows[index].key) }
            last = rows[rows.count - 1].key
        }
    }
}
