import Foundation
import Query

/// The journal mode of a SQLite store.
public enum StoreJournalMode: String, Sendable, Hashable, CaseIterable {
    /// A write-ahead log beside the store. Readers and a writer do not block each other.
    case wal
    /// A rollback journal that is deleted at every commit. The store is a single file while no
    /// process has it open.
    case delete
}

/// The `synchronous` setting of a SQLite store: when a commit waits for the disk.
public enum StoreSynchronous: String, Sendable, Hashable, CaseIterable {
    /// The store stays consistent, but a power failure may undo the last commits. Only allowed with
    /// ``StoreJournalMode/wal``.
    case normal
    /// Commits survive a power failure. With ``StoreJournalMode/delete`` this is treated as
    /// ``extra``, which that journal mode requires.
    case full
    /// In addition to ``full``, the directory of the journal is synchronized.
    case extra
}

/// A callback that observes, and can end, the time that a store waits for a lock of another
/// process.
///
/// ```swift
/// description.waitObserver = StoreWaitObserver { seconds in seconds < 1 }    // give up after a second
/// ```
public final class StoreWaitObserver: Sendable, Hashable {
    let body: @Sendable (_ seconds: Double) -> Bool

    /// Creates an observer.
    ///
    /// - Parameter body: Called about fifty times a second with the time that the operation has
    ///   waited, in seconds. If it returns false, the operation fails at once with ``StorageError``
    ///   `busy`.
    public init(_ body: @escaping @Sendable (_ seconds: Double) -> Bool) { self.body = body }

    package func continues(after seconds: Double) -> Bool { body(seconds) }

    public static func == (left: StoreWaitObserver, right: StoreWaitObserver) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PersistentStoreDescription {
    /// Sets an option by name. The name is one of Core Data's option keys, with the values that
    /// Core Data takes, or the name of a property of this type.
    ///
    /// ```swift
    /// try description.setOption(.boolean(true), forKey: "NSReadOnlyPersistentStoreOption")
    /// try description.setOption(.dictionary(["journal_mode": .string("DELETE")]), forKey: "NSSQLitePragmasOption")
    /// ```
    /// - Throws: ``StorageError`` with code `unsupported` for an unknown name (the message suggests
    ///   a similar one) or an invalid value.
    public mutating func setOption(_ value: MetadataValue, forKey key: String) throws {
        guard let option = Self.options[key] else {
            let near = NearestNames.nearest(to: key, among: Self.options.keys.sorted())
            throw StorageError(
                .unsupported, "There is no store option \(key)" + NearestNames.question(near), path: url.path)
        }
        guard try option(&self, value) else {
            throw StorageError(
                .unsupported, "The store option \(key) can't have the value \(value.plainText)", path: url.path)
        }
    }

    /// Sets a pragma of SQLite by name: `journal_mode`, `synchronous` or `cache_size`.
    ///
    /// - Throws: ``StorageError`` with code `unsupported` for other pragmas, and for values that
    ///   could damage the store or lose commits.
    public mutating func setValue(_ value: String, forPragmaNamed name: String) throws {
        let known = ["journal_mode", "synchronous", "cache_size"]
        switch name.lowercased() {
        case "journal_mode":
            guard let mode = StoreJournalMode(rawValue: value.lowercased()) else {
                throw unsafe(name, value, StoreJournalMode.allCases.map(\.rawValue))
            }
            journalMode = mode
        case "synchronous":
            let names = ["1": "normal", "2": "full", "3": "extra"]
            guard let level = StoreSynchronous(rawValue: names[value] ?? value.lowercased()) else {
                throw unsafe(name, value, StoreSynchronous.allCases.map(\.rawValue))
            }
            synchronous = level
        case "cache_size":
            // A negative value is a size in KiB, a positive one a number of pages.
            guard let size = Int(value), size.magnitude <= 4 << 20 else {
                throw unsafe(name, value, ["a number of pages", "a negative number of KiB"])
            }
            cacheKilobytes = size < 0 ? -size : size * 4
        default:
            let near = NearestNames.nearest(to: name, among: known)
            throw StorageError(
                .unsupported,
                "The pragma \(name) can't be set" + NearestNames.question(near)
                    + "; it can be \(known.joined(separator: ", "))", path: url.path)
        }
    }

    private func unsafe(_ name: String, _ value: String, _ allowed: [String]) -> StorageError {
        StorageError(
            .unsupported, "The pragma \(name) can't be \(value): it can be \(allowed.joined(separator: ", "))",
            path: url.path)
    }

    /// Sets an option. Returns false if the value has the wrong type.
    private typealias Option = @Sendable (inout PersistentStoreDescription, MetadataValue) throws -> Bool

    private static let options: [String: Option] = {
        func flag(_ set: @escaping @Sendable (inout PersistentStoreDescription, Bool) -> Void) -> Option {
            { description, value in
                guard let flag = value.flag else { return false }
                set(&description, flag)
                return true
            }
        }
        let readOnly = flag { $0.isReadOnly = $1 }, history = flag { $0.tracksHistory = $1 }
        let posts = flag { $0.postsRemoteChanges = $1 }
        let migrates = flag { $0.migratesAutomatically = $1 }, infers = flag { $0.infersMappingModel = $1 }
        let ignores = flag { $0.ignoresVersioning = $1 }
        let timeout: Option = { description, value in
            guard let seconds = value.number, seconds >= 0 else { return false }
            description.timeout = seconds
            return true
        }
        let mode: Option = { description, value in
            guard case .integer(let bits) = value, (0...0o777).contains(bits), bits & 0o600 == 0o600 else {
                return false
            }
            description.fileMode = UInt32(bits)
            return true
        }
        let pragmas: Option = { description, value in
            guard case .dictionary(let pairs) = value else { return false }
            for (name, value) in pairs.sorted(by: { $0.key < $1.key }) {
                try description.setValue(value.plainText, forPragmaNamed: name)
            }
            return true
        }
        return [
            "NSReadOnlyPersistentStoreOption": readOnly, "isReadOnly": readOnly,
            "NSPersistentHistoryTrackingKey": history, "tracksHistory": history,
            "NSPersistentStoreRemoteChangeNotificationOptionKey": posts,
            "NSPersistentStoreRemoteChangeNotificationPostOptionKey": posts, "postsRemoteChanges": posts,
            "NSMigratePersistentStoresAutomaticallyOption": migrates, "migratesAutomatically": migrates,
            "NSInferMappingModelAutomaticallyOption": infers, "infersMappingModel": infers,
            "NSIgnorePersistentStoreVersioningOption": ignores, "ignoresVersioning": ignores,
            "NSPersistentStoreTimeoutOption": timeout, "timeout": timeout, "fileMode": mode,
            "NSSQLitePragmasOption": pragmas,
        ]
    }()

    /// Whether the store is in memory and has no file.
    package var isInMemory: Bool {
        type == .inMemory || type == .sqlite && (url.path == "/dev/null" || sharedMemoryName != nil)
    }

    /// The name of a SQLite store in memory that all who open it share, from a location such as
    /// `/dev/null/NAME`; nil for others.
    package var sharedMemoryName: String? {
        let folder = "/dev/null/"
        guard type == .sqlite, url.path.hasPrefix(folder) else { return nil }
        let name = url.path.dropFirst(folder.count)
        return name.isEmpty ? nil : String(name)
    }

    /// The option that applies to SQLite files only, if one is set. Stores of other types reject
    /// it.
    package var sqliteOption: String? {
        if journalMode != nil { return "journal mode" }
        if synchronous != nil { return "level of synchronization" }
        return cacheKilobytes == nil ? nil : "cache size"
    }
}

extension MetadataValue {
    fileprivate var flag: Bool? {
        switch self {
        case .boolean(let flag): flag
        case .integer(0): false
        case .integer(1): true
        default: nil
        }
    }

    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    fileprivate var plainText: String {
        switch self {
        case .string(let text): text
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        default: "\(self)"
        }
    }
}
