public import Foundation
import ObjectGraph
import Storage
internal import Synchronization

/// What a coordinator makes a store of a registered class from; see
/// ``NSPersistentStore/init(_:)``.
public struct NSPersistentStoreSeed {
    let coordinator: NSPersistentStoreCoordinator
    let configuration: String?
    let url: URL
    let options: [AnyHashable: Any]?
}

/// A store of a coordinator.
///
/// Stores of an application's own inherit from ``NSAtomicStore`` or ``NSIncrementalStore``.
// Sendable as on Apple's platforms. The configuration's name and the options are constants; the
// rest is behind the locks of `state` and `ownMetadata`, and so are the stores of Folio, which are
// thread-safe themselves.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    /// The coordinator; nil after the store was removed.
    public internal(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { state.withLock { $0.coordinator } }
        set { state.withLock { $0.coordinator = newValue } }
    }
    /// The name of the configuration whose entities the store has.
    open var configurationName: String { ownConfigurationName }
    private let ownConfigurationName: String
    /// The options that the store was opened with.
    open var options: [AnyHashable: Any]? { ownOptions }
    private let ownOptions: [AnyHashable: Any]?
    /// Folio's store; nil for a store of the application's own that is no part of a coordinator.
    var attached: PersistentStore? {
        get { state.withLock { $0.attached } }
        set { state.withLock { $0.attached = newValue } }
    }
    /// The objects' identities in a store of the application's own, once its metadata are loaded.
    var references: StoreReferenceTable? {
        get { state.withLock { $0.references } }
        set { state.withLock { $0.references = newValue } }
    }

    private struct State {
        weak var coordinator: NSPersistentStoreCoordinator?
        var attached: PersistentStore?
        var references: StoreReferenceTable?
        /// The location that the application has set.
        var location: URL?
    }
    private let state = Mutex(State())
    private let initialURL: URL
    private let metadataLock = NSLock()
    /// The metadata of a store of the application's own, under `metadataLock`.
    private var keptMetadata: [String: Any] = [:]

    /// Creates a store; called by coordinators. A subclass that overrides this may be registered
    /// with ``NSPersistentStoreCoordinator/registerStoreClass(_:forStoreType:)``.
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        ownConfigurationName = name ?? "PF_DEFAULT_CONFIGURATION_NAME"
        ownOptions = options
        initialURL = url
        super.init()
        persistentStoreCoordinator = root
    }

    /// Creates a store of a registered class; called by coordinators.
    public required convenience init(_ seed: NSPersistentStoreSeed) {
        self.init(
            persistentStoreCoordinator: seed.coordinator, configurationName: seed.configuration, at: seed.url,
            options: seed.options)
    }

    convenience init(
        _ store: PersistentStore, of coordinator: NSPersistentStoreCoordinator, _ options: [AnyHashable: Any]?
    ) {
        self.init(
            persistentStoreCoordinator: coordinator, configurationName: store.configurationName, at: store.url,
            options: options)
        attached = store
    }

    /// The location of the store. Setting it has an effect for a store that has no file of Folio's;
    /// ``NSPersistentStoreCoordinator/migratePersistentStore(_:to:options:withType:)`` moves
    /// others.
    open var url: URL? {
        get { state.withLock { $0.location } ?? attached?.url ?? initialURL }
        set {
            guard let newValue, isCustom || (attached.map({ $0.type == .inMemory }) ?? true) else { return }
            state.withLock { $0.location = newValue }
        }
    }
    /// The UUID of the store.
    open var identifier: String! {
        isCustom ? ownMetadata[NSStoreUUIDKey] as? String ?? "" : attached?.identifier ?? ""
    }
    /// The type of the store.
    open var type: String { attached?.type.rawValue ?? ownMetadata[NSStoreTypeKey] as? String ?? "" }
    /// Whether the store is read-only.
    open var isReadOnly: Bool {
        attached?.isReadOnly ?? ((options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue == true)
    }
    /// The metadata of the store. Setting it takes effect with the next save.
    ///
    /// A store of the application's own sets it in ``loadMetadata()``, with the values of
    /// `NSStoreTypeKey` and `NSStoreUUIDKey`, and stores it with every save.
    open var metadata: [String: Any]! {
        get { isCustom ? ownMetadata : persistentStoreCoordinator?.metadata(for: self) ?? [:] }
        set {
            if attached == nil {
                ownMetadata = newValue ?? [:]
            } else {
                persistentStoreCoordinator?.setMetadata(newValue, for: self)
            }
        }
    }

    /// The metadata that a store of the application's own has set or loaded.
    var ownMetadata: [String: Any] {
        get { metadataLock.withLock { keptMetadata } }
        set { metadataLock.withLock { keptMetadata = newValue } }
    }

    /// Loads the metadata of a store of the application's own: called before anything else is read.
    /// It sets ``metadata``, unless the initializer has done that. The stores of Folio load theirs
    /// as they are opened.
    open func loadMetadata() throws {}

    /// Called after the store was added to a coordinator.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}
    /// Called before the store is removed from its coordinator.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    /// The class that migrates stores of this type.
    open class func migrationManagerClass() -> AnyClass { standardMigrationManager }

    /// Reads the metadata of a store in a file. Called for a registered class by
    /// ``NSPersistentStoreCoordinator/metadataForPersistentStore(ofType:at:options:)``.
    ///
    /// - Throws: An error of Cocoa's domain.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url)
    }

    /// Replaces the metadata of a store in a file. Called for a registered class by
    /// ``NSPersistentStoreCoordinator/setMetadata(_:forPersistentStoreOfType:at:options:)``.
    ///
    /// - Throws: An error of Cocoa's domain.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        try NSPersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreOfType: NSSQLiteStoreType, at: url)
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
