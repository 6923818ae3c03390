import Storage
import Synchronization

/// The stores in memory that have a name: all coordinators of a process that open one share it, and
/// it exists as long as one of them does.
final class SharedMemoryStores<Store: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var store: Store?
        var users: Int
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// The store of a name, made by the first who opens it.
    /// - Parameter fits: throws where the store that there is can't be shared.
    func open(_ name: String, fits: (Store) throws -> Void, make: () throws -> Store) throws -> Store {
        try entries.withLock { entries in
            if let store = entries[name]?.store {
                try fits(store)
                entries[name]?.users += 1
                return store
            }
            let store = try make()
            entries[name] = Entry(store: store, users: 1)
            return store
        }
    }

    /// Whether the store is to be closed: its last user lets go of it.
    func close(_ name: String, _ store: Store) -> Bool {
        entries.withLock { entries in
            guard let entry = entries[name], entry.store === store else { return true }
            guard entry.users > 1 else {
                entries[name] = nil
                return true
            }
            entries[name]?.users -= 1
            return false
        }
    }
}
