public import Foundation
import RowMemory
public import Schema
public import Storage

/// What became of a store that was moved to another place and perhaps another type.
public struct StoreMigrationResult: Sendable {
    public let store: AttachedStore
    /// The IDs that objects have now, by those that they had.
    public let objectIDs: [ManagedObjectID: ManagedObjectID]
}

extension PersistentStoreCoordinator {
    /// Copies a store to another place, as a store of whatever type, and takes the copy in its
    /// place; the store itself stays where it is and is closed.
    ///
    /// Objects have new IDs, since the copy is another store; contexts know the old ones no more,
    /// so save and ``ManagedObjectContext/reset()`` them before. The application's metadata go
    /// along.
    /// - Parameter configure: how the copy is opened, beside its place and type.
    /// - Throws: ``StorageError``; the coordinator is as it was then.
    @discardableResult
    public func migratePersistentStore(
        _ store: AttachedStore, to url: URL, type: StoreType,
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
        let new = try factory.open(description, model)
        var ids: [ManagedObjectID: ManagedObjectID] = [:]
        do {
            try new.writingOnce {
                try RowCopier(from: old.store, to: new).copy()
                var changes = ChangeSet()
                for (key, value) in try old.store.metadata() where !key.hasPrefix("NS") && !key.hasPrefix("_NS") {
                    changes.metadata[key] = value
                }
                if !changes.isEmpty { _ = try new.apply(changes) }
            }
            for entity in model.entities where old.holdsRoot[entity.rootIndex] && !entity.isAbstract {
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
        try remove(store)
        add(new)
        return StoreMigrationResult(store: AttachedStore(new), objectIDs: ids)
    }

    /// What a store in a file says of itself, read without opening it. Needs no model.
    public func metadataForPersistentStore(type: StoreType, at url: URL) throws -> [String: MetadataValue] {
        guard let read = try factory(type, url).metadata else {
            throw StorageError(.unsupported, "A store of type \(type.rawValue) is in no file", path: url.path)
        }
        return try read(url)
    }

    /// Gives a store that is not added other metadata, at once: keys that are missing are removed,
    /// but for those that describe the store itself.
    /// - Throws: ``StorageError``; `incompatibleModel` where the store is of another model than the
    ///   coordinator's.
    public func setMetadata(
        _ metadata: [String: MetadataValue], forPersistentStoreOfType type: StoreType, at url: URL,
        configuration: String? = nil
    ) throws {
        var description = PersistentStoreDescription(url: url, type: type)
        description.createsIfMissing = false
        description.configuration = configuration
        let store = try factory(type, url).open(description, model)
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

    /// Removes a store with all that belongs to it.
    /// - Throws: ``StorageError``; `busy` where the coordinator or somebody else has it open,
    ///   `notFound` where there is none.
    public func destroyPersistentStore(at url: URL, type: StoreType) throws {
        try checkNotAttached(url)
        guard let destroy = try factory(type, url).destroy else {
            throw StorageError(.unsupported, "A store of type \(type.rawValue) is in no file", path: url.path)
        }
        try destroy(url)
    }

    /// Puts a copy of a store in the place of another one, or where none is. It keeps the UUID, so
    /// that object IDs of one are those of the other.
    /// - Throws: ``StorageError``; `busy` where the coordinator or somebody else has the store open
    ///   that would be replaced.
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

    /// Posted to `NotificationCenter.default` when stores were added or removed, with arrays of
    /// ``AttachedStore`` under ``StoreChangeKey``.
    public static let storesDidChangeNotification = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")

    /// What stands in the user info of ``storesDidChangeNotification``, under `rawValue`.
    public enum StoreChangeKey: String, Sendable {
        case added = "NSAddedPersistentStoresKey"
        case removed = "NSRemovedPersistentStoresKey"
    }

    func tell(added: [AttachedStore] = [], removed: [AttachedStore] = []) {
        var info: [AnyHashable: Any] = [:]
        if !added.isEmpty { info[StoreChangeKey.added.rawValue] = added }
        if !removed.isEmpty { info[StoreChangeKey.removed.rawValue] = removed }
        NotificationCenter.default.post(name: Self.storesDidChangeNotification, object: self, userInfo: info)
    }
}
