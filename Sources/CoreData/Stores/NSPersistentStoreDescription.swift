public import Foundation
import Storage

/// The location of a store and the options to open it with.
open class NSPersistentStoreDescription: NSObject {
    /// The type of the store: one of the names such as ``NSSQLiteStoreType``.
    open var type: String = NSSQLiteStoreType
    /// The configuration whose entities the store has; nil for all.
    open var configuration: String?
    /// The location of the file.
    open var url: URL?
    /// The options by their keys.
    open private(set) var options: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]
    /// Pragmas of SQLite by their names.
    open var sqlitePragmas: [String: NSObject] {
        options[NSSQLitePragmasOption] as? [String: NSObject] ?? [:]
    }
    /// Whether the store is added in the background.
    open var shouldAddStoreAsynchronously = false

    /// Creates a description of a SQLite store at a location.
    public init(url: URL) {
        self.url = url
        super.init()
    }

    /// Creates a description of a SQLite store in memory, `/dev/null`.
    public override init() {
        url = URL(fileURLWithPath: "/dev/null")
        super.init()
    }

    /// Sets an option, or with nil removes it.
    open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

    /// Sets a pragma of SQLite.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var pragmas = sqlitePragmas
        pragmas[name] = value
        options[NSSQLitePragmasOption] = pragmas as NSDictionary
    }

    private func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }

    /// Whether the store is opened read-only.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) }
        set { options[NSReadOnlyPersistentStoreOption] = NSNumber(value: newValue) }
    }
    /// The time in seconds that the store waits for others.
    open var timeout: TimeInterval {
        get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { options[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
    }
    /// Whether a store of another version is migrated.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) }
        set { options[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: newValue) }
    }
    /// Whether the mapping of a migration is inferred.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) }
        set { options[NSInferMappingModelAutomaticallyOption] = NSNumber(value: newValue) }
    }

    open override var description: String { "<NSPersistentStoreDescription \(type) \(url?.path ?? "")>" }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentStoreDescription else { return false }
        return type == other.type && url == other.url && configuration == other.configuration
            && (options as NSDictionary).isEqual(to: other.options)
    }

    open override var hash: Int { url.hashValue }
}

extension NSPersistentStoreDescription: NSCopying {
    /// A description of its own.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription()
        (copy.type, copy.configuration, copy.url, copy.options) = (type, configuration, url, options)
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        return copy
    }
}

/// Options by Core Data's keys, for Folio.
enum StoreOptions {
    /// Options of Core Data's that Folio's descriptions don't have.
    private static let unused: Set<String> = [
        // What these ask for is so anyway, or there is nothing on Linux that they could ask for.
        NSValidateXMLStoreOption, NSSQLiteAnalyzeOption, NSPersistentStoreRebuildFromUbiquitousContentOption,
        NSPersistentStoreForceDestroyOption, NSPersistentStoreFileProtectionKey, NSBinaryStoreSecureDecodingClasses,
        NSBinaryStoreInsecureDecodingCompatibilityOption, NSPersistentStoreDeferredLightweightMigrationOptionKey,
        // The coordinator does these before the store is opened.
        NSSQLiteManualVacuumOption, NSPersistentStoreStagedMigrationManagerOptionKey,
    ]

    static func description(
        _ type: String, _ configuration: String?, _ url: URL?, _ options: [AnyHashable: Any]?
    ) throws -> PersistentStoreDescription {
        guard let url = url ?? (type == NSInMemoryStoreType ? URL(fileURLWithPath: "/dev/null") : nil) else {
            throw StorageError(.cannotCreate, "A store of type \(type) needs a URL")
        }
        var description = PersistentStoreDescription(url: url, type: .init(rawValue: type))
        description.configuration = configuration == "PF_DEFAULT_CONFIGURATION_NAME" ? nil : configuration
        description.migratesAutomatically = false
        description.infersMappingModel = false
        let ordered = (options ?? [:]).sorted { "\($0.key)" < "\($1.key)" }
        for (key, value) in ordered {
            guard let key = key.base as? String, !unused.contains(key) else { continue }
            // Tracking is said by a dictionary, too.
            let value: Any = key == NSPersistentHistoryTrackingKey && value is [AnyHashable: Any] ? true : value
            try description.setOption(try StoreMetadataValues.value(value), forKey: key)
        }
        if type != NSSQLiteStoreType {
            (description.tracksHistory, description.postsRemoteChanges) = (false, false)
            (description.journalMode, description.synchronous, description.cacheKilobytes) = (nil, nil, nil)
        }
        return description
    }
}
