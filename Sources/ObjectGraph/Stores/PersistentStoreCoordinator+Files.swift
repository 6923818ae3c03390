public import Foundation
import RowMemory
public import Schema
public import Storage

/// The result of copying a store to another location or type.
public struct StoreMigrationResult: Sendable {
    /// The new store.
    public let store: PersistentStore
    /// The new IDs of the objects, by their IDs in the old store.
    public let objectIDs: [ManagedObjectID: ManagedObjectID]
}

extension PersistentStoreCoordinator {
    /// Copies a store to another location, optionally to another type, and replaces it by the copy
    /// in the coordinator. The original store is closed and kept.
    ///
    /// Contexts go on with the copy: their objects, faults and unsaved changes belong to it, and a
    /// save writes there. This is how an application saves a store as another one:
    ///
    /// ```swift
    /// try coordinator.migratePersistentStore(store, to: url, type: .sqlite)
    /// try context.save()
    /// ```
    /// The copy has another UUID, so its objects have other IDs, with the same entities and primary
    /// keys. Metadata of the application are copied. Values of which only a reader was held, such
    /// as a ``LargeValue``, are read from the original's files. No context may save while this
    /// runs: such a save is not in the copy.
    ///
    /// - Parameter configure: Changes the description with which the copy is opened.
    /// - Throws: ``StorageError``, `cannotCreate` if a file exists at the location; the coordinator
    ///   is then unchanged.
    @discardableResult
    public func migratePersistentStore(
        _ store: PersistentStore, to url: URL, type: StoreType,
        configure: (inout PersistentStoreDescription) -> Void = { _ in }
    ) throws -> StoreMigrationResult {
        let old = try member(store)
        var description = PersistentStoreDescription(url: url, type: type)
        description.configuration = store.configurationName
        configure(&description)
        if !description.isInMemory, FileManager.default.fileExists(atPath: url.path) {
            throw StorageError(.cannotCreate, "There is a file already", path: url.path)
        }
        let factory = try factory(type, url)
        let new = try factory.open(description, managedObjectModel)
        var ids: [ManagedObjectID: ManagedObjectID] = [:]
        do {
            try new.writingOnce {
                try RowCopier(from: old.store, to: new, keepsVersions: true).copy()
                var changes = ChangeSet()
                for (key, value) in try old.store.metadata() where !key.hasPrefix("NS") && !key.hasPrefix("_NS") {
                    changes.metadata[key] = value
                }
                if !changes.isEmpty { _ = try new.apply(changes) }
            }
            for entity in managedObjectModel.entities where old.holdsRoot[entity.rootIndex] && !entity.isAbstract {
                let rows = try new.rows(RowRequest(entityIndex: entity.index, includesSubentities: false))
                for index in 0..<rows.count {
                    ids[ManagedObjectID(store: old.store.identity, entityIndex: entity.index, key: rows[index].key)] =
                        ManagedObjectID(store: new.identity, entityIndex: entity.index, key: rows[index].key)
                }
            }
        } catch {
            try? new.close()
            try? factory.destroy?(url)
            throw error
        }
        let result = StoreMigrationResult(store: PersistentStore(new), objectIDs: ids)
        do { try exchange(old, for: new) } catch {
            try? new.close()
            try? factory.destroy?(url)
            throw error
        }
        tell(uuidChanged: [store, result.store])
        return result
    }

    /// Reads the metadata of a store in a file without opening the store. No model is needed.
    ///
    /// - Throws: ``StorageError``, `unsupported` if the type of store has no files.
    public func metadataForPersistentStore(type: StoreType, at url: URL) throws -> [String: MetadataValue] {
        guard let read = try factory(type, url).metadata else {
            throw StorageError(.unsupported, "A store of type \(type.rawValue) is in no file", path: url.path)
        }
        return try read(url)
    }

    /// Replaces the metadata of a store that is not added to the coordinator. Entries that are
    /// missing in `metadata` are removed, except those that describe the store itself. The change
    /// is written at once.
    ///
    /// - Throws: ``StorageError``, `incompatibleModel` if the store has another model than the
    ///   coordinator.
    public func setMetadata(
        _ metadata: [String: MetadataValue], forPersistentStoreOfType type: StoreType, at url: URL,
        configuration: String? = nil
    ) throws {
        var description = PersistentStoreDescription(url: url, type: type)
        description.createsIfMissing = false
        description.configuration = configuration
        let store = try factory(type, url).open(description, managedObjectModel)
        do {
            var changes = ChangeSet()
            changes.metadata = try Self.changes(from: try store.metadata(), to: metadata, path: url.path)
            if !changes.isEmpty { _ = try store.apply(changes) }
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }

    /// Deletes a store and all its files.
    ///
    /// - Throws: ``StorageError``, `busy` if the store is open in this coordinator or elsewhere,
    ///   `notFound` if it does not exist.
    public func destroyPersistentStore(at url: URL, type: StoreType) throws {
        try checkNotAttached(url)
        guard let destroy = try factory(type, url).destroy else {
            throw StorageError(.unsupported, "A store of type \(type.rawValue) is in no file", path: url.path)
        }
        try destroy(url)
    }

    /// Copies a store to another location, replacing the store that exists there. The copy has the
    /// same UUID, so object IDs of one are valid in the other.
    ///
    /// - Throws: ``StorageError``, `busy` if the store to replace is open in this coordinator or
    ///   elsewhere.
    public func replacePersistentStore(at url: URL, withPersistentStoreFrom source: URL, type: StoreType) throws {
        try checkNotAttached(url)
        guard let replace = try factory(type, url).replace else {
            throw StorageError(.unsupported, "A store of type \(type.rawValue) is in no file", path: url.path)
        }
        try replace(source, url)
    }

    private func checkNotAttached(_ url: URL) throws {
        guard persistentStore(for: url) == nil else {
            throw StorageError(.busy, "The coordinator has the store open: remove it first", path: url.path)
        }
    }

    // MARK: Notifications

    /// Posted to `NotificationCenter.default` after stores were added or removed. The user info
    /// contains arrays of ``PersistentStore`` under ``StoreChangeKey``.
    public static let storesDidChangeNotification = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")

    /// Posted to `NotificationCenter.default` before a store is removed. The user info contains an
    /// array of the ``PersistentStore`` under ``StoreChangeKey/removed``.
    public static let willRemoveStoreNotification = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")

    /// The keys of the user info of ``storesDidChangeNotification``, by their `rawValue`.
    public enum StoreChangeKey: String, Sendable {
        /// The stores that were added.
        case added = "NSAddedPersistentStoresKey"
        /// The stores that were removed.
        case removed = "NSRemovedPersistentStoresKey"
        /// A store that was copied to another location or type, and the copy that took its place.
        case uuidChanged = "NSUUIDChangedPersistentStoresKey"
    }

    func tellBeforeRemoving(_ store: PersistentStore) {
        guard announcer == nil else { return }
        NotificationCenter.default.post(
            name: Self.willRemoveStoreNotification, object: self,
            userInfo: [StoreChangeKey.removed.rawValue: [store]])
    }

    func tell(added: [PersistentStore] = [], removed: [PersistentStore] = [], uuidChanged: [PersistentStore] = []) {
        if let announcer { return announcer(nil) }
        var info: [AnyHashable: Any] = [:]
        if !added.isEmpty { info[StoreChangeKey.added.rawValue] = added }
        if !removed.isEmpty { info[StoreChangeKey.removed.rawValue] = removed }
        if !uuidChanged.isEmpty { info[StoreChangeKey.uuidChanged.rawValue] = uuidChanged }
        NotificationCenter.default.post(name: Self.storesDidChangeNotification, object: self, userInfo: info)
    }
}
