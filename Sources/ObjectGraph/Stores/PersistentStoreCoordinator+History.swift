public import Foundation
import Schema
public import Storage

extension PersistentStoreCoordinator {
    /// Tells after each commit to a store that was opened with
    /// ``PersistentStoreDescription/postsRemoteChanges``, the coordinator's own included, for as
    /// long as somebody iterates.
    ///
    /// ```swift
    /// for await change in coordinator.remoteChanges() {
    ///     let transactions = try context.fetchHistory(PersistentHistoryRequest(after: seen))
    ///     context.mergeChanges(from: SavedChanges(transactions))
    ///     seen = change.historyToken
    /// }
    /// ```
    /// It comes some hundredths of a second after the commit, once for commits that follow each
    /// other more closely, and a consumer that is slow finds the last one alone: what happened is
    /// told by the history. The same is posted to `NotificationCenter.default` as
    /// ``remoteChangeNotification``.
    public func remoteChanges() -> AsyncStream<PersistentStoreRemoteChange> { remoteChangeStreams.stream() }

    /// Posted on a thread of its own after each commit to a store that was opened with
    /// ``PersistentStoreDescription/postsRemoteChanges``, with ``RemoteChangeKey``.
    public static let remoteChangeNotification = Notification.Name("NSPersistentStoreRemoteChangeNotification")

    /// What stands in the user info of ``remoteChangeNotification``, under `rawValue`.
    public enum RemoteChangeKey: String, Sendable {
        case storeUUID = "NSStoreUUID"
        case storeURL = "storeURL"
        /// A ``PersistentHistoryToken``; missing where the store keeps no history.
        case historyToken = "historyToken"
    }

    /// Nil where the description does not ask for it.
    func observeCommits(to store: any PersistentStore) throws -> (any CommitObservation)? {
        guard store.description.postsRemoteChanges else { return nil }
        let url = store.description.url
        guard let observed = store as? any CommitObservingStore else {
            throw StorageError(
                .unsupported,
                "A store of type \(store.description.type.rawValue) does not tell of what others save: use a SQLite store",
                path: url.path)
        }
        let uuid = store.identity.uuid
        return try observed.observeCommits { [weak self] token in
            guard let self else { return }
            remoteChangeStreams.yield(PersistentStoreRemoteChange(storeUUID: uuid, storeURL: url, historyToken: token))
            var info: [AnyHashable: Any] = [
                RemoteChangeKey.storeUUID.rawValue: uuid, RemoteChangeKey.storeURL.rawValue: url,
            ]
            if let token { info[RemoteChangeKey.historyToken.rawValue] = token }
            NotificationCenter.default.post(name: Self.remoteChangeNotification, object: self, userInfo: info)
        }
    }
}

extension PersistentStoreCoordinator {
    /// The place after the last transaction of the store's history; nil where there is none.
    public func currentPersistentHistoryToken() throws -> PersistentHistoryToken? {
        try historyStore().currentHistoryToken()
    }

    func historyStore() throws -> any HistoryStore {
        guard let first = firstStore else { throw GraphError.noStore }
        guard let store = stores.lazy.compactMap({ $0 as? any HistoryStore }).first else {
            throw StorageError(
                .unsupported, "A store of type \(first.description.type.rawValue) keeps no history: use a SQLite store",
                path: first.description.url.path)
        }
        return store
    }
}
