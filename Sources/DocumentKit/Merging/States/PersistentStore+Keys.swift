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
    /// - Parameter known: Keys of objects whose values are not read, which takes less time.
    func forEachKey(_ root: EntityDescription, _ known: KnownKeys = KnownKeys(), _ body: (Int64) -> Void) throws {
        var last: Int64 = 0
        while true {
            let keys = try selection(
                .part(of: root.index, includesSubentities: true, after: last, limit: 8192), known: known
            ).keys
            guard let greatest = keys.last else { return }
            keys.forEach(body)
            last = greatest
        }
    }
}

extension RowSelection {
    /// The keys of the objects, in their order.
    fileprivate var keys: [Int64] {
        var rowKeys = rows.keys
        if entries.isEmpty { return rowKeys }
        rowKeys.reverse()
        return entries.compactMap { $0.key != 0 ? $0.key : rowKeys.popLast() }
    }
}
