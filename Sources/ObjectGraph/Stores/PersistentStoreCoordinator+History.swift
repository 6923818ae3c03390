import Foundation
import Schema
public import Storage

extension PersistentStoreCoordinator {
    /// The place after the last transaction of the store's history; nil where there is none.
    public func currentPersistentHistoryToken() throws -> PersistentHistoryToken? {
        try historyStore().currentHistoryToken()
    }

    func historyStore() throws -> any HistoryStore {
        guard let first = firstStore else { throw GraphError.noStore }
        guard let store = stores.lazy.compactMap({ $0 as? any HistoryStore }).first else {
            throw StorageError(.unsupported, "A store of type \(first.description.type.rawValue) keeps no history: use a SQLite store", path: first.description.url.path)
        }
        return store
    }
}
