public import Foundation
import Schema
public import Storage

extension PersistentStoreCoordinator {
    /// Reports each commit to stores that were opened with
    /// ``PersistentStoreDescription/postsRemoteChanges``, including commits through this
    /// coordinator, as long as the sequence is iterated.
    ///
    /// ```swift
    /// for await change in coordinator.remoteChanges() {
    ///     let transactions = try context.fetchHistory(PersistentHistoryRequest(after: seen))
    ///     context.mergeChanges(from: SavedChanges(transactions))
    ///     seen = change.historyToken
    /// }
    /// ```
    /// Reports arrive some hundredths of a second after a commit. Commits in quick succession are
    /// reported once, and a slow consumer gets the last report only: read the history to find all
    /// changes. The reports are also posted to `NotificationCenter.default` as
    /// ``remoteChangeNotification``.
    public func remoteChanges() -> AsyncStream<PersistentStoreRemoteChange> { remoteChangeStreams.stream() }

    /// Posted after each commit to a store that was opened with
    /// ``PersistentStoreDescription/postsRemoteChanges``, on a background thread, with
    /// ``RemoteChangeKey``.
    public static let remoteChangeNotification = Notification.Name("NSPersistentStoreRemoteChangeNotification")

    /// The keys of the user info of ``remoteChangeNotification``, by their `rawValue`.
    public enum RemoteChangeKey: String, Sendable {
        /// The UUID of the store, as a string.
        case storeUUID = "NSStoreUUID"
        /// The location of the store, as a `URL`.
        case storeURL = "storeURL"
        /// The ``PersistentHistoryToken`` after the commit; missing if the store has no history.
        case historyToken = "historyToken"
    }

    /// Starts the observation of a store's commits; nil if its description does not request it.
    func observeCommits(to store: any StoreBackend) throws -> (any CommitObservation)? {
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
            let change = PersistentStoreRemoteChange(storeUUID: uuid, storeURL: url, historyToken: token)
            remoteChangeStreams.yield(change)
            if let announcer { return announcer(change) }
            var info: [AnyHashable: Any] = [
                RemoteChangeKey.storeUUID.rawValue: uuid, RemoteChangeKey.storeURL.rawValue: url,
            ]
            if let token { info[RemoteChangeKey.historyToken.rawValue] = token }
            NotificationCenter.default.post(name: Self.remoteChangeNotification, object: self, userInfo: info)
        }
    }
}

extension PersistentStoreCoordinator {
    /// The position after the last transaction of the store's history, or before the first; nil if
    /// the store has no history.
    ///
    /// - Parameter affectedStores: The UUIDs of the stores, of which the first that has a history
    ///   counts; nil for all.
    /// - Throws: ``GraphError`` with code `noStore`; ``StorageError`` with code `unsupported` if no
    ///   store can have a history.
    public func currentPersistentHistoryToken(affectedStores: Set<String>? = nil) throws -> PersistentHistoryToken? {
        for store in try historyStores(affectedStores) {
            if let token = try store.currentHistoryToken() { return token }
        }
        return nil
    }

    /// The transactions of the stores that a request is about; see
    /// ``ManagedObjectContext/fetchHistory(_:)``.
    func history(_ request: PersistentHistoryRequest) throws -> [PersistentHistoryTransaction] {
        let stores = try historyStores(request.affectedStores, of: request.token)
        if stores.count == 1 { return try stores[0].history(request) }
        let found = try stores.flatMap { try $0.history(request) }.sorted { $0.timestamp < $1.timestamp }
        return request.fetchLimit > 0 ? Array(found.prefix(request.fetchLimit)) : found
    }

    /// The stores whose history a request is about: those that it names, or else one: the store of
    /// the token, or the first store that can have a history.
    ///
    /// - Throws: ``GraphError`` with code `noStore`; ``StorageError`` with code `unsupported` if
    ///   none of the stores can have a history.
    func historyStores(_ affectedStores: Set<String>?, of token: PersistentHistoryToken? = nil) throws
        -> [any HistoryStore]
    {
        guard firstStore != nil else { throw GraphError.noStore }
        let wanted = stores.filter { affectedStores?.contains($0.identity.uuid) ?? true }
        let able = wanted.compactMap { $0 as? any HistoryStore }
        if able.isEmpty, let first = wanted.first {
            throw StorageError(
                .unsupported, "A store of type \(first.description.type.rawValue) keeps no history: use a SQLite store",
                path: first.description.url.path)
        }
        let ofToken = able.filter { $0.identity.uuid == token?.storeUUID }
        if affectedStores == nil { return ofToken.isEmpty ? Array(able.prefix(1)) : ofToken }
        return token == nil ? able : ofToken
    }
}
