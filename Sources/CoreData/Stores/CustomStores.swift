import Foundation
import ObjectGraph
import Schema
import Stack
import Storage
import Synchronization

/// The classes of stores that the application has registered.
enum CustomStores {
    private static let kinds = Mutex<[String: NSPersistentStore.Type]>([:])

    /// The class for a type of stores; nil for a type of Folio's and one that is not registered.
    static func kind(of type: String) -> NSPersistentStore.Type? { kinds.withLock { $0[type] } }

    static var types: [String] { kinds.withLock { Array($0.keys) } }

    static func register(_ kind: NSPersistentStore.Type?, _ type: String) { kinds.withLock { $0[type] = kind } }

    /// Opens a store of a class of the application's own and adds it to the coordinator.
    static func open(
        _ kind: NSPersistentStore.Type, _ coordinator: NSPersistentStoreCoordinator, _ type: String,
        _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any]?
    ) throws -> NSPersistentStore {
        let url = url ?? URL(fileURLWithPath: "/dev/null")
        let store = kind.init(
            NSPersistentStoreSeed(
                coordinator: coordinator, configuration: configuration, url: url, options: options))
        let description = try StoreOptions.customDescription(type, configuration, url, options)
        let factory: StoreFactory
        if let store = store as? NSIncrementalStore {
            factory = .incremental(description.type) { IncrementalStoreAdapter(store, try store.openMetadata($0, $1)) }
        } else if let store = store as? NSAtomicStore {
            factory = .atomic(description.type) { AtomicStoreAdapter(store, try store.openMetadata($0, $1)) }
        } else {
            preconditionFailure("\(kind) inherits from neither NSAtomicStore nor NSIncrementalStore")
        }
        coordinator.folio.setObjectStores(ObjectStoreCalls(coordinator))
        do {
            store.attached = try coordinator.folio.addPersistentStore(description, by: factory)
        } catch let error as StorageError where error.code == .incompatibleModel && !description.ignoresVersioning {
            guard try StoreMigration.migrateCustom(store, type, at: url, options, to: coordinator.managedObjectModel)
            else { throw error }
            var others = options
            others?[NSMigratePersistentStoresAutomaticallyOption] = nil
            return try open(kind, coordinator, type, configuration, url, others)
        }
        KnownModels.note(coordinator.folio.managedObjectModel)
        return store
    }
}

extension StoreOptions {
    /// The options of Core Data's that hold for every store; others are those of the application's
    /// store, which gets all of them.
    static func customDescription(
        _ type: String, _ configuration: String?, _ url: URL, _ options: [AnyHashable: Any]?
    ) throws -> PersistentStoreDescription {
        let common = [
            NSReadOnlyPersistentStoreOption, NSIgnorePersistentStoreVersioningOption, NSPersistentStoreTimeoutOption,
        ]
        return try description(type, configuration, url, (options ?? [:]).filter { common.contains("\($0.key)") })
    }
}

extension NSPersistentStoreCoordinator {
    /// Registers a class of stores, or with nil removes it. It holds for every coordinator, for
    /// stores that are added from then on.
    ///
    /// ```swift
    /// NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, forStoreType: "JSON")
    /// try coordinator.addPersistentStore(ofType: "JSON", configurationName: nil, at: url)
    /// ```
    /// Traps for a class that inherits from neither ``NSAtomicStore`` nor ``NSIncrementalStore``.
    public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        guard let storeClass else { return CustomStores.register(nil, storeType) }
        guard let kind = storeClass as? NSPersistentStore.Type,
            kind is NSAtomicStore.Type || kind is NSIncrementalStore.Type
        else { preconditionFailure("\(storeClass) inherits from neither NSAtomicStore nor NSIncrementalStore") }
        CustomStores.register(kind, storeType)
    }

    /// Registers a class of stores. Traps for a class that inherits from neither ``NSAtomicStore``
    /// nor ``NSIncrementalStore``.
    public class func registerStoreClass(_ storeClass: AnyClass, type storeType: NSPersistentStore.StoreType) {
        registerStoreClass(storeClass, forStoreType: storeType.rawValue)
    }

    /// The class of the application's own for a type of stores; nil for a type of Folio's and one
    /// that is not registered.
    static func customClass(of type: String) -> NSPersistentStore.Type? { CustomStores.kind(of: type) }

    /// The types of stores of the application's own.
    static var customTypes: [String] { CustomStores.types }
}
