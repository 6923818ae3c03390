public import Foundation
import Migration
import ObjectGraph
import Storage
internal import Synchronization

/// A store of a coordinator.
// Sendable as on Apple's platforms. The configuration's name and the options are constants; the
// rest is behind `state`'s lock, and so are the stores of Folio, which are thread-safe themselves.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    /// The coordinator; nil after the store was removed.
    public internal(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { state.withLock { $0.coordinator } }
        set { state.withLock { $0.coordinator = newValue } }
    }
    /// The name of the configuration whose entities the store has.
    public let configurationName: String
    /// The options that the store was opened with.
    public let options: [AnyHashable: Any]?
    /// Folio's store; nil for a store of the application's own that is no part of a coordinator.
    var attached: PersistentStore? {
        get { state.withLock { $0.attached } }
        set { state.withLock { $0.attached = newValue } }
    }

    private struct State {
        weak var coordinator: NSPersistentStoreCoordinator?
        var attached: PersistentStore?
        /// The location that the application has set.
        var location: URL?
    }
    private let state = Mutex(State())
    private let initialURL: URL

    /// Creates a store; called by coordinators.
    public required init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        configurationName = name ?? "PF_DEFAULT_CONFIGURATION_NAME"
        self.options = options
        initialURL = url
        super.init()
        persistentStoreCoordinator = root
    }

    convenience init(
        _ store: PersistentStore, of coordinator: NSPersistentStoreCoordinator, _ options: [AnyHashable: Any]?
    ) {
        self.init(
            persistentStoreCoordinator: coordinator, configurationName: store.configurationName, at: store.url,
            options: options)
        attached = store
    }

    /// The location of the store. Setting it has an effect for a store that has no file;
    /// ``NSPersistentStoreCoordinator/migratePersistentStore(_:to:options:withType:)`` moves
    /// others.
    open var url: URL? {
        get { state.withLock { $0.location } ?? attached?.url ?? initialURL }
        set {
            guard let newValue, attached.map({ $0.type == .inMemory }) ?? true else { return }
            state.withLock { $0.location = newValue }
        }
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
