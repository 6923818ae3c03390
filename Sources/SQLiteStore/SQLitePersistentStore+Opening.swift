import FileSystem
package import Foundation
import ModelFiles
import RowMemory
package import Schema
package import SQLiteKit
package import Storage

extension SQLitePersistentStore {
    /// For the coordinator's registry.
    package static let factory = StoreFactory(
        type: .sqlite, open: { description, model in try SQLitePersistentStore.open(description, model: model) },
        metadata: { try metadata(at: $0) },
        destroy: { try destroy(at: $0) }, replace: { try replace($0, $1) })

    /// Opens the store, or makes it where there is none and the description says so.
    /// - Parameters:
    ///   - model: The model to read it with, which must be the one that it was written with; nil
    ///     for the store's own.
    ///   - files: Where large values are; nil for beside the store.
    /// - Throws: `StorageError`, which says whether the file is something else, damaged, of another
    ///   model…
    package static func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel? = nil, files: ExternalValues? = nil
    ) throws -> SQLitePersistentStore {
        try open(description, files: files) { _ in model }
    }

    /// Opens the store with the model that `resolve` picks by what the store says of its own, nil
    /// for the store's own.
    ///
    /// Cheaper than asking ``storedModelInfo(at:)`` first, which opens the file once more. For a
    /// store that is to be made, `resolve` is given nil. What it throws comes out as it is.
    package static func open(
        _ description: PersistentStoreDescription, files: ExternalValues? = nil,
        resolvingModel resolve: (StoreSignature?) throws -> ManagedObjectModel?
    ) throws -> SQLitePersistentStore {
        let path = description.url.path
        do {
            return try retryingWhileBeingCreated(path, description) {
                if try shouldCreate(at: path, description) {
                    guard let model = try chosen(nil, resolve) else {
                        throw StorageError(.noModel, "A new store needs a model")
                    }
                    return try create(description, model: model, files: files)
                }
                return SQLitePersistentStore(
                    session: try openSession(path, description, resolve, files ?? .besideStore(at: path)))
            }
        } catch let error as ResolvingError {
            throw error.underlying
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// For how long a file without tables may be one that another process is about to fill, in
    /// seconds.
    private static let longestMaking = 30.0

    /// Runs `open` again where another process makes the same store at this moment: between its
    /// first step and its last the file is there and has no tables.
    private static func retryingWhileBeingCreated(
        _ path: String, _ description: PersistentStoreDescription, _ open: () throws -> SQLitePersistentStore
    ) throws -> SQLitePersistentStore {
        guard description.createsIfMissing, !description.isReadOnly, !description.isInMemory else { return try open() }
        let deadline = Date(timeIntervalSinceNow: min(description.timeout, longestMaking))
        while true {
            let status = try Disk.status(of: path)
            let isYoung =
                status.map { Date().timeIntervalSince1970 - Double($0.identity.modified) / 1e9 < longestMaking } ?? true
            // SQLite writes the first page, empty, when it is told how the file is to be laid out.
            let mayBeInTheMaking = isYoung && (status.map { $0.kind == .file && $0.size <= 4096 } ?? true)
            do {
                return try open()
            } catch let error as StorageError
                where mayBeInTheMaking && Date() < deadline && isBeingCreated(error)
            {
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    /// Whether the file was there when it was to be made, or had no tables yet.
    private static func isBeingCreated(_ error: StorageError) -> Bool {
        error.code == .notAStore || (error.underlying as? FileSystemError)?.code == .exists
    }

    /// Opens a store that lies uncompressed in an archive, without taking it out.
    ///
    /// `description.url` is where the store would be if it were a file; its WAL is there, and the
    /// archive is never written: ``checkpoint()`` throws. The caller holds the document's lock.
    /// Read-only, nothing is written at all, and the WAL is read where there is one.
    package static func open(
        _ description: PersistentStoreDescription, in archive: ArchivedDatabase, files: ExternalValues,
        resolvingModel resolve: (StoreSignature?) throws -> ManagedObjectModel?
    ) throws -> SQLitePersistentStore {
        do {
            return SQLitePersistentStore(
                session: try openSession(description.url.path, description, resolve, files, archive))
        } catch let error as ResolvingError {
            throw error.underlying
        } catch {
            throw StorageError(error, path: archive.path)
        }
    }

    /// What a store says of its model, read without opening it any further; nothing is written.
    /// - Parameter ignoresWAL: Whether the main file is asked alone.
    /// - Throws: `StorageError`, as `open`.
    package static func storedModelInfo(at url: URL, ignoresWAL: Bool = false) throws -> StoredModelInfo {
        do {
            try checkKind(of: url.path)
            return try Connection.reading(url.path, ignoresWAL: ignoresWAL) { connection in
                let catalog = try StoreCatalog.read(from: connection)
                return try modelInfo(from: connection, catalog)
            }
        } catch {
            throw StorageError(error, path: url.path)
        }
    }

    /// What a store that lies uncompressed in an archive says of its model, with what the WAL at
    /// `workingPath` adds; nothing is written.
    package static func storedModelInfo(in archive: ArchivedDatabase, workingPath: String) throws -> StoredModelInfo {
        do {
            let connection = try Connection.openForReading(archive, workingPath: workingPath)
            let info = try modelInfo(from: connection, try StoreCatalog.read(from: connection))
            try connection.close()
            return info
        } catch {
            throw StorageError(error, path: archive.path)
        }
    }

    static func modelInfo(from connection: Connection, _ catalog: StoreCatalog) throws -> StoredModelInfo {
        var cache: Data?
        if catalog.table("Z_MODELCACHE") != nil {
            cache = try connection.value("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")?.blob.map { Data($0) }
        }
        return StoredModelInfo(metadata: try StoreMetadata.read(from: connection), modelCache: cache)
    }

    private static func openSession(
        _ path: String, _ description: PersistentStoreDescription,
        _ resolve: (StoreSignature?) throws -> ManagedObjectModel?, _ files: ExternalValues,
        _ archive: ArchivedDatabase? = nil
    ) throws -> sending StoreSession {
        let derivedChanges = DerivedChanges()
        let connection = try StoreSession.connect(path, description, archive, noting: derivedChanges)
        let isDocument = description.journal == .heldByDocument
        var look = try FirstLook.read(from: connection, isDocument: isDocument)
        let hashes = look.metadata.versionHashes
        let given = try chosen(StoreSignature(uuid: look.metadata.uuid, versionHashes: hashes), resolve)
        let model: ManagedObjectModel
        if let given, given.isCompatible(withVersionHashes: hashes, configuration: description.configuration) {
            model = given
        } else {
            // Only now the store's own model is of any use.
            let info: StoredModelInfo
            (look, info) = try connection.transaction(.deferred) {
                let look = try FirstLook.read(from: connection, isDocument: isDocument)
                return (look, try modelInfo(from: connection, look.schema.catalog))
            }
            model = try info.model(given: given, configuration: description.configuration)
        }
        let layout = try look.schema.layout(for: model)
        let foreignTriggers = try look.schema.catalog.triggersBeside(layout)
        if description.journal == .heldByDocument, let trigger = foreignTriggers.first {
            throw SchemaRules.refusal(of: trigger)
        }
        // Only now, when it is known to be a store: the journal of a document's store may be
        // changed by it.
        try StoreSession.prepareWAL(of: connection, description)
        return StoreSession(
            path: path, description: description, archive: archive, connection: connection,
            derivedChanges: derivedChanges, layout: layout,
            rowLayouts: RowLayout.layouts(for: model), identity: StoreIdentity(uuid: look.metadata.uuid, model: model),
            files: files, writingRefusal: look.schema.catalog.writingRefusal,
            hasTriggers: !foreignTriggers.isEmpty, metadata: KnownMetadata(read: look.plist, look.metadata))
    }

    private static func chosen(
        _ signature: StoreSignature?, _ resolve: (StoreSignature?) throws -> ManagedObjectModel?
    ) throws -> ManagedObjectModel? {
        do { return try resolve(signature) } catch { throw ResolvingError(underlying: error) }
    }

    // MARK: Files

    private static func shouldCreate(at path: String, _ description: PersistentStoreDescription) throws -> Bool {
        if description.isReadOnly, let option = description.journalMode == nil ? nil : description.sqliteOption {
            throw StorageError(.unsupported, "A store that is open for reading only keeps its \(option)")
        }
        if description.isInMemory {
            guard !description.isReadOnly else {
                throw StorageError(.unsupported, "A store in memory begins empty: there is nothing to read only")
            }
            return true
        }
        if let status = try Disk.status(of: path) {
            try checkKind(status)
            return false
        }
        guard description.createsIfMissing, !description.isReadOnly else {
            throw StorageError(.notFound, "There is no store")
        }
        return true
    }

    static func checkKind(of path: String) throws {
        guard let status = try Disk.status(of: path) else { throw StorageError(.notFound, "There is no store") }
        try checkKind(status)
    }

    private static func checkKind(_ status: FileStatus) throws {
        // A link is followed by SQLite itself, which refuses what it leads to if that is no plain
        // file.
        if status.kind == .directory { throw StorageError(.notAStore, "This is a folder, not a store") }
    }
}

/// What the caller's own choice of a model threw: it goes back to the caller as it is.
private struct ResolvingError: Error {
    let underlying: any Error
}

extension StoreCatalog {
    /// The triggers that are not those of the model's derived attributes, letter by letter.
    func triggersBeside(_ layout: StoreLayout) throws(StorageError) -> [Trigger] {
        guard !triggers.isEmpty else { return [] }
        // A model of somebody else's may derive attributes in ways that only its own triggers know.
        let own = (try? StoreSchema(layout).triggers()) ?? []
        let known = Set(own.map(\.statement))
        return triggers.filter { !known.contains($0.statement) }
    }

    /// Why a foreign program must not write to the store; nil if it may.
    var writingRefusal: String? {
        guard tables.contains(where: { SQLName.key($0.name).hasPrefix("ANSCK") }) else { return nil }
        return "The store is mirrored to iCloud: changes made outside Core Data would be lost or undone"
    }
}
