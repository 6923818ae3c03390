import FileSystem
package import Foundation
import ModelFiles
import RowMemory
package import Schema
package import SQLiteKit
package import Storage

extension SQLitePersistentStore {
    /// The entry in the coordinator's registry of store types.
    package static let factory = StoreFactory(
        type: .sqlite, open: { description, model in try SQLitePersistentStore.open(description, model: model) },
        metadata: { try metadata(at: $0) },
        destroy: { try destroy(at: $0) }, replace: { try replace($0, $1) })

    /// Opens the store, or creates it if it is missing and the description asks for that.
    /// - Parameters:
    ///   - model: The model to read the store with, which must match the one it was written with;
    ///     nil uses the store's own.
    ///   - files: The storage of large values; nil uses the folder beside the store.
    /// - Throws: `StorageError`, which tells whether the file is not a store, is damaged, has
    ///   another model…
    package static func open(
        _ description: PersistentStoreDescription, model: ManagedObjectModel? = nil, files: ExternalValues? = nil
    ) throws -> SQLitePersistentStore {
        guard let name = description.sharedMemoryName else { return try open(description, files: files) { _ in model } }
        return try SharedMemoryStores.open(name) { store in
            if let model, model != store.identity.model {
                throw StorageError(
                    .incompatibleModel, "The store in memory called \(name) is of another version of the model",
                    path: description.url.path)
            }
            let first = store.description
            guard description.isReadOnly == first.isReadOnly, description.tracksHistory == first.tracksHistory,
                description.postsRemoteChanges == first.postsRemoteChanges,
                description.configuration == first.configuration
            else {
                throw StorageError(
                    .unsupported, "The store in memory called \(name) is open with other options, which are shared",
                    path: description.url.path)
            }
        } make: {
            try open(description, files: files) { _ in model }
        }
    }

    /// Opens the store with a model that `resolve` selects by the store's signature; nil uses the
    /// store's own.
    ///
    /// Cheaper than calling ``storedModelInfo(at:)`` first, which opens the file an additional
    /// time. For a store that will be created, `resolve` is passed nil. An error of `resolve` is
    /// rethrown unchanged.
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

    /// The age in seconds up to which a file without tables may belong to a store that another
    /// process is creating.
    private static let longestMaking = 30.0

    /// Retries `open` while another process is creating the same store: during that time the file
    /// exists and has no tables.
    private static func retryingWhileBeingCreated(
        _ path: String, _ description: PersistentStoreDescription, _ open: () throws -> SQLitePersistentStore
    ) throws -> SQLitePersistentStore {
        guard description.createsIfMissing, !description.isReadOnly, !description.isInMemory else { return try open() }
        let deadline = Date(timeIntervalSinceNow: min(description.timeout, longestMaking))
        while true {
            let status = try Disk.status(of: path)
            let isYoung =
                status.map { Date().timeIntervalSince1970 - Double($0.identity.modified) / 1e9 < longestMaking } ?? true
            // Setting the file format makes SQLite write an empty first page.
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

    /// Whether the file already existed when it was to be created, or had no tables yet.
    private static func isBeingCreated(_ error: StorageError) -> Bool {
        error.code == .notAStore || (error.underlying as? FileSystemError)?.code == .exists
    }

    /// Opens a store that is stored uncompressed in an archive, without extracting it.
    ///
    /// `description.url` is the path that the store would have as a separate file. Its WAL is
    /// there, and the archive is never written: ``checkpoint()`` throws. The caller must have the
    /// document's lock. With a read-only description nothing is written at all, and an existing WAL
    /// is read.
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

    /// The store's metadata and model information. The store need not be open, and nothing is
    /// written.
    /// - Parameter ignoresWAL: Whether only the main file is read.
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

    /// The metadata and model information of a store that is stored uncompressed in an archive,
    /// including changes in the WAL at `workingPath`. Nothing is written.
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
            // The store's own model is read only when it is needed.
            let info: StoredModelInfo
            (look, info) = try connection.transaction(.deferred) {
                let look = try FirstLook.read(from: connection, isDocument: isDocument)
                return (look, try modelInfo(from: connection, look.schema.catalog))
            }
            model = try info.model(given: given, description)
        }
        let layout = try layout(of: model, in: look, description)
        let foreignTriggers = try look.schema.catalog.triggersBeside(layout)
        if description.journal == .heldByDocument, let trigger = foreignTriggers.first {
            throw SchemaRules.refusal(of: trigger)
        }
        // Only now the file is known to be a store. For a document's store this call may change the
        // journal mode.
        try StoreSession.prepareWAL(of: connection, description)
        return StoreSession(
            path: path, description: description, archive: archive, connection: connection,
            derivedChanges: derivedChanges, layout: layout,
            rowLayouts: RowLayout.layouts(for: model), identity: StoreIdentity(uuid: look.metadata.uuid, model: model),
            files: files, writingRefusal: look.schema.catalog.writingRefusal,
            hasTriggers: !foreignTriggers.isEmpty, metadata: KnownMetadata(read: look.plist, look.metadata))
    }

    /// - Throws: `StorageError.damaged` for a store that lacks what the model names;
    ///   `incompatibleModel` if it may be one of another version.
    private static func layout(
        of model: ManagedObjectModel, in look: FirstLook, _ description: PersistentStoreDescription
    ) throws(StorageError) -> StoreLayout {
        do {
            return try look.schema.layout(for: model)
        } catch {
            guard error.code == .damaged, description.ignoresVersioning else { throw error }
            throw StorageError(
                .incompatibleModel, "The store is of another version, and lacks what the model names: \(error.message)",
                entities: error.entities)
        }
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
        // SQLite follows a symbolic link itself, and rejects a target that is not a regular file.
        if status.kind == .directory { throw StorageError(.notAStore, "This is a folder, not a store") }
    }
}

/// Carries an error of the caller's `resolve` closure, to be rethrown unchanged.
private struct ResolvingError: Error {
    let underlying: any Error
}

extension StoreCatalog {
    /// The triggers that do not match those of the model's derived attributes exactly.
    func triggersBeside(_ layout: StoreLayout) throws(StorageError) -> [Trigger] {
        guard !triggers.isEmpty else { return [] }
        // A foreign model may have derivations that only its own triggers implement.
        let own = (try? StoreSchema(layout).triggers()) ?? []
        let known = Set(own.map(\.statement))
        return triggers.filter { !known.contains($0.statement) }
    }

    /// The reason why a foreign program must not write to the store; nil if it may.
    var writingRefusal: String? {
        guard tables.contains(where: { SQLName.key($0.name).hasPrefix("ANSCK") }) else { return nil }
        return "The store is mirrored to iCloud: changes made outside Core Data would be lost or undone"
    }
}
