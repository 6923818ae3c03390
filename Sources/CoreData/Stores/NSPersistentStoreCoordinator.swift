public import Foundation
import Folio
import Migration
import ObjectGraph
public import Schema
import Stack
import Storage
internal import Synchronization

/// Opens the stores of a model. Contexts share a coordinator to work with its stores.
// Sendable as on Apple's platforms: the stored properties are constants, of which those that change
// inside are locks, a queue and Folio's coordinator, which is thread-safe; the model can't be
// changed once it is in use.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    /// The model of the stores.
    open var managedObjectModel: NSManagedObjectModel { ownManagedObjectModel }
    private let ownManagedObjectModel: NSManagedObjectModel
    /// Folio's coordinator.
    let folio: PersistentStoreCoordinator
    private let queue = ContextQueue(.privateQueueConcurrencyType)
    private let added = Mutex<[NSPersistentStore]>([])
    private let ownName = Mutex<String?>(nil)
    let savedObjects = SavedObjects()

    /// Creates a coordinator without stores. The model can't be changed from here on.
    public init(managedObjectModel model: NSManagedObjectModel) {
        ownManagedObjectModel = model
        folio = Self.make(model) { ObjectClasses.type(of: $0) }
        super.init()
        register()
    }

    /// A coordinator whose objects are of no class of the application's, as migrations need it.
    init(plain model: NSManagedObjectModel) {
        ownManagedObjectModel = model
        folio = Self.make(model) { _ in NSManagedObject.self }
        super.init()
        register()
    }

    /// A coordinator of the stores of one of Folio's.
    init(sharing other: PersistentStoreCoordinator) {
        ownManagedObjectModel = NSManagedObjectModel.of(other.managedObjectModel)
        folio = Self.make(ownManagedObjectModel) { ObjectClasses.type(of: $0) }
        super.init()
        register()
        for store in other.stores { folio.add(store) }
        added.withLock { added in added = folio.persistentStores.map { NSPersistentStore($0, of: self, nil) } }
    }

    private func register() {
        Self.known.withLock { known in
            known.removeAll { $0.coordinator == nil }
            known.append(Known(self))
        }
        folio.setAnnouncer { [weak self] change in if let change { self?.post(change) } }
    }

    private static func make(_ model: NSManagedObjectModel, _ type: (EntityDescription) -> NSManagedObject.Type)
        -> PersistentStoreCoordinator
    {
        PersistentStoreCoordinator(
            managedObjectModel: model.use(), isPlain: false, factories: PersistentStoreCoordinator.builtInFactories,
            objectClass: type)
    }

    // MARK: All coordinators

    private final class Known: Sendable {
        // Set by the initializer alone; loading a weak reference is safe in any thread.
        nonisolated(unsafe) weak var coordinator: NSPersistentStoreCoordinator?

        init(_ coordinator: NSPersistentStoreCoordinator) { self.coordinator = coordinator }
    }

    private static let known = Mutex<[Known]>([])

    static var all: [NSPersistentStoreCoordinator] { known.withLock { $0.compactMap(\.coordinator) } }

    static func of(_ coordinator: PersistentStoreCoordinator) -> NSPersistentStoreCoordinator? {
        all.first { $0.folio === coordinator }
    }

    /// A name for debugging.
    open var name: String? {
        get { ownName.withLock { $0 } }
        set { ownName.withLock { $0 = newValue } }
    }

    // MARK: Stores

    /// The stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { added.withLock { $0 } }

    func store(of id: ManagedObjectID) -> NSPersistentStore? {
        folio.persistentStore(of: id).flatMap { found in
            persistentStores.first { $0.attached?.identifier == found.identifier }
        }
    }

    func stores(of attached: [PersistentStore]) -> [NSPersistentStore] {
        persistentStores.filter { store in attached.contains { $0.identifier == store.attached?.identifier } }
    }

    /// Opens a store and adds it.
    ///
    /// - Throws: An error of Cocoa's domain, `NSPersistentStoreIncompatibleVersionHashError` for a
    ///   store of another version that the options don't let be migrated.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try translatingMigrationErrors {
            let store = try openStore(storeType, configuration, storeURL, options)
            added.withLock { $0.append(store) }
            store.didAdd(to: self)
            tellDidChange([NSAddedPersistentStoresKey: [store]])
            return store
        }
    }

    /// Opens a store by its description, and tells how it went.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let work = UncheckedTransfer { [self] in
            do {
                try addPersistentStore(
                    ofType: storeDescription.type, configurationName: storeDescription.configuration,
                    at: storeDescription.url, options: storeDescription.options)
                block(storeDescription, nil)
            } catch {
                block(storeDescription, error)
            }
        }
        guard storeDescription.shouldAddStoreAsynchronously else { return work.value() }
        DispatchQueue.global().async { work.value() }
    }

    /// Closes a store and removes it.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func remove(_ store: NSPersistentStore) throws {
        try translatingErrors {
            guard let attached = store.attached, persistentStores.contains(where: { $0 === store }) else {
                throw StorageError(.unknownObject, "The coordinator does not have this store")
            }
            NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
            store.willRemove(from: self)
            try folio.remove(attached)
            added.withLock { stores in stores.removeAll { $0 === store } }
            store.persistentStoreCoordinator = nil
            tellDidChange([NSRemovedPersistentStoresKey: [store]])
        }
    }

    /// The store at a location; nil if the coordinator does not have it.
    open func persistentStore(for url: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url?.standardizedFileURL == url.standardizedFileURL }
    }

    /// The location of a store.
    open func url(for store: NSPersistentStore) -> URL { store.url ?? URL(fileURLWithPath: "/dev/null") }

    /// Sets the location of a store that has no file; false for others, which are moved by
    /// ``migratePersistentStore(_:to:options:withType:)``.
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        guard store.type == NSInMemoryStoreType else { return false }
        store.url = url
        return true
    }

    /// Copies a store to another location or type, and works with the copy. Object IDs change.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        try translatingErrors {
            guard let attached = store.attached else {
                throw StorageError(.unknownObject, "The coordinator does not have this store")
            }
            let wanted = try StoreOptions.description(storeType, attached.configurationName, URL, options)
            let result = try folio.migratePersistentStore(attached, to: URL, type: wanted.type) { $0 = wanted }
            let new = NSPersistentStore(result.store, of: self, options)
            added.withLock { stores in
                if let index = stores.firstIndex(where: { $0 === store }) {
                    stores[index] = new
                } else {
                    stores.append(new)
                }
            }
            store.persistentStoreCoordinator = nil
            tellDidChange([NSUUIDChangedPersistentStoresKey: [store, new]])
            return new
        }
    }

    // MARK: Files

    /// Deletes what a store has. One that the coordinator has is removed first. The options have no
    /// effect.
    ///
    /// Of a SQLite store empty files are left, with those of its journal, also where there were
    /// none before: programs remove them themselves. A store is made of them when it is next
    /// opened. Other stores are removed with all their files.
    ///
    /// - Throws: An error of Cocoa's domain; for an XML or binary store also if there is no file.
    open func destroyPersistentStore(at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil) throws {
        try translatingErrors {
            if let store = persistentStore(for: url) { try remove(store) }
            if storeType == NSInMemoryStoreType || url.path == "/dev/null" || url.path.hasPrefix("/dev/null/") {
                return
            }
            guard storeType == NSSQLiteStoreType else {
                return try folio.destroyPersistentStore(at: url, type: StoreType(rawValue: storeType))
            }
            let size = (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? NSNumber
            if size?.intValue ?? 0 > 0 { try folio.destroyPersistentStore(at: url, type: .sqlite) }
            for path in ["", "-shm", "-wal"].map({ url.path + $0 }) where !FileManager.default.fileExists(atPath: path)
            {
                try Data().write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
            }
        }
    }

    /// Replaces a store by a copy of another. The options have no effect: the files are copied as
    /// they are.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        try translatingErrors {
            try folio.replacePersistentStore(
                at: destinationURL, withPersistentStoreFrom: sourceURL, type: StoreType(rawValue: storeType))
        }
    }

    // MARK: Metadata

    private static var plain: PersistentStoreCoordinator {
        get throws { PersistentStoreCoordinator(managedObjectModel: try ManagedObjectModel(entities: [])) }
    }

    /// Reads the metadata of a store in a file. The options have no effect: metadata are read in
    /// the same way of every store.
    ///
    /// - Throws: An error of Cocoa's domain.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        if let kind = customClass(of: storeType) { return try kind.metadataForPersistentStore(with: url) }
        return try translatingErrors {
            StoreMetadataValues.plain(
                try plain.metadataForPersistentStore(type: StoreType(rawValue: storeType), at: url))
        }
    }

    /// Replaces the metadata of a store in a file, in the version that it was written with. The
    /// options have no effect.
    ///
    /// - Throws: An error of Cocoa's domain.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        if let kind = customClass(of: storeType) {
            return try kind.setMetadata(metadata, forPersistentStoreAt: url)
        }
        try translatingErrors {
            let type = StoreType(rawValue: storeType)
            let coordinator = PersistentStoreCoordinator(
                managedObjectModel: try model(ofStoreAt: url, type))
            try coordinator.setMetadata(
                try StoreMetadataValues.values(metadata ?? [:]), forPersistentStoreOfType: type, at: url)
        }
    }

    /// The metadata of a store.
    open func metadata(for store: NSPersistentStore) -> [String: Any] {
        if store.isCustom { return store.metadata }
        return (try? store.attached.map { try folio.metadata(for: $0) }).flatMap { $0 }.map(StoreMetadataValues.plain)
            ?? [:]
    }

    /// Replaces the metadata of a store; the next save writes them. Traps for values that no
    /// property list has.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        guard let attached = store.attached else { return }
        do {
            try folio.setMetadata(try StoreMetadataValues.values(metadata ?? [:]), for: attached)
            guard store.isCustom else { return }
            store.ownMetadata = StoreMetadataValues.plain(try folio.metadata(for: attached)).merging(
                store.ownMetadata.filter { $0.key == NSStoreUUIDKey }
            ) { _, own in own }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    // MARK: Objects and requests

    /// The ID for a URI; nil if no store has it.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        managedObjectID(for: url.absoluteString)
    }

    /// The ID for a URI's text; nil if no store has it.
    public func managedObjectID(for text: String) -> NSManagedObjectID? {
        guard let id = folio.managedObjectID(text: text) else { return nil }
        for store in persistentStores { store.references?.note(id) }
        return id
    }

    /// Executes a request in a context.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
        let result = try context.execute(request)
        return (result as? any FinalResults)?.results ?? result
    }

    /// The position after the last transaction of the stores' history; nil if there is none.
    ///
    /// - Parameter stores: Stores of the coordinator, of which the first that has a history counts;
    ///   nil for all.
    open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        let wanted = stores.map { Set($0.compactMap { ($0 as? NSPersistentStore)?.attached?.identifier }) }
        return (try? folio.currentPersistentHistoryToken(affectedStores: wanted)).flatMap { $0 }.map {
            NSPersistentHistoryToken($0)
        }
    }

    /// Runs a block in the coordinator's queue, later.
    open func perform(_ block: @escaping () -> Void) { queue.run(block) }

    /// Runs a block in the coordinator's queue, and waits for it.
    open func performAndWait(_ block: () -> Void) { queue.wait(block) }

    /// Runs a block in the coordinator's queue, waits for it, and returns its result.
    public func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result { try queue.wait(block) }

    /// Whether a lightweight migration was put off and is now complete: none ever is put off.
    open func finishDeferredLightweightMigration() -> Bool { false }
    /// Whether a part of a lightweight migration was put off and is now done: none ever is put off.
    open func finishDeferredLightweightMigrationTask() -> Bool { false }

    /// The names of the types of stores that can be added.
    open class var registeredStoreTypes: [String: NSValue] {
        let types = PersistentStoreCoordinator.builtInFactories.map(\.type.rawValue) + customTypes
        return Dictionary(types.map { ($0, NSNumber(value: true) as NSValue) }, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Notifications

    private func tellDidChange(_ info: [AnyHashable: Any]) {
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: info)
    }

    private func post(_ change: PersistentStoreRemoteChange) {
        var info: [AnyHashable: Any] = [NSStoreUUIDKey: change.storeUUID, NSPersistentStoreURLKey: change.storeURL]
        info[NSPersistentHistoryTokenKey] = change.historyToken.map { NSPersistentHistoryToken($0) }
        NotificationCenter.default.post(name: .NSPersistentStoreRemoteChange, object: self, userInfo: info)
    }
}
