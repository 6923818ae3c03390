public import Foundation
import Migration
import ObjectGraph
import Storage

/// A store of a coordinator.
// What changes is set by its coordinator, as it adds and removes the store.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    /// The coordinator; nil after the store was removed.
    public internal(set) weak var persistentStoreCoordinator: NSPersistentStoreCoordinator?
    /// The name of the configuration whose entities the store has.
    public let configurationName: String
    /// The options that the store was opened with.
    public let options: [AnyHashable: Any]?
    /// Folio's store; nil for a store of the application's own that is no part of a coordinator.
    var attached: PersistentStore?

    /// Creates a store; called by coordinators.
    public required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        persistentStoreCoordinator = root
        configurationName = name ?? "PF_DEFAULT_CONFIGURATION_NAME"
        self.options = options
        location = url
        super.init()
    }

    convenience init(
        _ store: PersistentStore, of coordinator: NSPersistentStoreCoordinator, _ options: [AnyHashable: Any]?
    ) {
        self.init(
            persistentStoreCoordinator: coordinator, configurationName: store.configurationName, at: store.url,
            options: options)
        attached = store
    }

    private var location: URL

    /// The location of the store.
    open var url: URL? {
        get { attached?.url ?? location }
        set { if let newValue { location = newValue } }
    }
    /// The UUID of the store.
    open var identifier: String! { attached?.identifier ?? "" }
    /// The type of the store.
    open var type: String { attached?.type.rawValue ?? "" }
    /// Whether the store is read-only.
    open var isReadOnly: Bool { attached?.isReadOnly ?? false }
    /// The metadata of the store. Setting it takes effect with the next save.
    open var metadata: [String: Any]! {
        get { persistentStoreCoordinator?.metadata(for: self) ?? [:] }
        set { persistentStoreCoordinator?.setMetadata(newValue, for: self) }
    }

    /// Called after the store was added to a coordinator.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}
    /// Called before the store is removed from its coordinator.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// The class that migrates stores of this type.
    open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

    /// Reads the metadata of a store in a file.
    ///
    /// - Throws: An error of Cocoa's domain.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    }

    /// The type of a store, by its newer names.
    public struct StoreType: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A SQLite database.
        public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
        /// A binary file.
        public static let binary = StoreType(rawValue: NSBinaryStoreType)
        /// An XML file.
        public static let xml = StoreType(rawValue: NSXMLStoreType)
        /// Memory.
        public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    }

    open override var description: String { "<\(Swift.type(of: self)) \(type) \(url?.path ?? "")>" }
}
