import Foundation
import Query

/// How a SQLite store keeps what a transaction changes until it is in the file.
public enum StoreJournalMode: String, Sendable, Hashable, CaseIterable {
    /// A log beside the file: readers and a writer don't wait for each other.
    case wal
    /// The old pages beside the file, removed at every commit: one file when nobody has the store
    /// open.
    case delete
}

/// How hard a commit of a SQLite store makes sure that it is on the disk.
public enum StoreSynchronous: String, Sendable, Hashable, CaseIterable {
    /// The file stays whole, but a power cut may take the last commits along. With
    /// ``StoreJournalMode/wal`` alone.
    case normal
    /// A commit outlives a power cut; with ``StoreJournalMode/delete`` it is taken for `extra`,
    /// without which it would not.
    case full
    /// The folder's entry for the journal is made sure of too.
    case extra
}

/// Who is told while a store waits for another process, and may end the waiting.
public final class StoreWaitObserver: Sendable, Hashable {
    let body: @Sendable (_ seconds: Double) -> Bool

    /// - Parameter body: is given how long the operation has waited, some fifty times a second;
    ///   false makes it fail as busy at once.
    public init(_ body: @escaping @Sendable (_ seconds: Double) -> Bool) { self.body = body }

    package func goesOn(after seconds: Double) -> Bool { body(seconds) }

    public static func == (left: StoreWaitObserver, right: StoreWaitObserver) -> Bool { left === right }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PersistentStoreDescription {
    /// Sets an option by its name: Core Data's, whose values are numbers, booleans and texts as
    /// there, or that of the property here.
    ///
    /// ```swift
    /// try description.setOption(.boolean(true), forKey: "NSReadOnlyPersistentStoreOption")
    /// try description.setOption(.dictionary(["journal_mode": .string("DELETE")]), forKey: "NSSQLitePragmasOption")
    /// ```
    /// - Throws: ``StorageError`` with code `unsupported` for a name that is not known (the nearest
    ///   is named) or a value that the option can't have.
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

    /// Sets a pragma of SQLite's: `journal_mode`, `synchronous` or `cache_size`, as far as the
    /// store stays safe.
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
            // Negative numbers are KiB, others pages.
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

    /// False for a value of the wrong kind.
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
            "NSPersistentStoreTimeoutOption": timeout, "timeout": timeout, "fileMode": mode,
            "NSSQLitePragmasOption": pragmas,
        ]
    }()

    /// Whether there is no file.
    package var isInMemory: Bool { type == .inMemory || type == .sqlite && url.path == "/dev/null" }

    /// The option that says something of SQLite's files, if any does: other stores have none.
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
