import FileSystem
import Foundation
import ModelFiles
import RowMemory
import Schema
import SQLiteKit
import Storage

/// Opens one store. The methods below `session` are its steps, in their order.
struct StoreOpening: Sendable {
    /// Selects the model for a store by its signature, which is nil for a store that will be
    /// created. For nil, the store's own model is used.
    typealias ModelResolver = (StoreSignature?) throws -> ManagedObjectModel?

    let description: PersistentStoreDescription
    /// The archive that contains the store, if it is not a separate file.
    var archive: ArchivedDatabase?
    /// The storage of large values; nil for the folder beside the store.
    var files: ExternalValues?
    private var path: String { description.url.path }

    init(_ description: PersistentStoreDescription, in archive: ArchivedDatabase? = nil, files: ExternalValues?) {
        self.description = description
        self.archive = archive
        self.files = files
    }

    /// Opens the store, or creates it if it is missing and the description asks for that. A store
    /// in memory that has a name is shared.
    func store(model: ManagedObjectModel?) throws -> SQLitePersistentStore {
        guard let name = description.sharedMemoryName else { return try store { _ in model } }
        return try SQLitePersistentStore.sharedInMemory.open(name) {
            try checkSharing($0, name, model)
        } make: {
            try store { _ in model }
        }
    }

    /// Opens the store, or creates it if it is missing and the description asks for that. An error
    /// of `resolve` is rethrown unchanged.
    func store(resolvingModel resolve: ModelResolver) throws -> SQLitePersistentStore {
        do {
            guard archive == nil else { return SQLitePersistentStore(session: try session(resolve)) }
            return try retryingWhileBeingCreated {
                guard try shouldCreate() else { return SQLitePersistentStore(session: try session(resolve)) }
                guard let model = try chosen(nil, resolve) else {
                    throw StorageError(.noModel, "A new store needs a model")
                }
                return try SQLitePersistentStore.create(description, model: model, files: files)
            }
        } catch let error as ResolvingError {
            throw error.underlying
        } catch {
            throw StorageError(error, path: archive?.path ?? path)
        }
    }

    /// Whether a store in memory that is open already can be shared.
    private func checkSharing(_ store: SQLitePersistentStore, _ name: String, _ model: ManagedObjectModel?) throws {
        if let model, model != store.identity.model {
            throw StorageError(
                .incompatibleModel, "The store in memory called \(name) is of another version of the model", path: path)
        }
        let first = store.description
        guard description.isReadOnly == first.isReadOnly, description.tracksHistory == first.tracksHistory,
            description.postsRemoteChanges == first.postsRemoteChanges,
            description.configuration == first.configuration
        else {
            throw StorageError(
                .unsupported, "The store in memory called \(name) is open with other options, which are shared",
                path: path)
        }
    }

    // MARK: Creation or opening

    private func shouldCreate() throws -> Bool {
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
            try SQLiteStoreFile.checkKind(status)
            return false
        }
        guard description.createsIfMissing, !description.isReadOnly else {
            throw StorageError(.notFound, "There is no store")
        }
        return true
    }

    /// The age in seconds up to which a file without tables may belong to a store that another
    /// process is creating.
    private static let longestMaking = 30.0

    /// Retries `open` while another process is creating the same store: during that time the file
    /// exists and has no tables.
    private func retryingWhileBeingCreated(
        _ open: () throws -> SQLitePersistentStore
    ) throws -> SQLitePersistentStore {
        guard description.createsIfMissing, !description.isReadOnly, !description.isInMemory else { return try open() }
        let longestMaking = Self.longestMaking
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
    private func isBeingCreated(_ error: StorageError) -> Bool {
        error.code == .notAStore || (error.underlying as? FileSystemError)?.code == .exists
    }

    // MARK: Steps

    private func session(_ resolve: ModelResolver) throws -> sending StoreSession {
        let derivedChanges = DerivedChanges()
        let connection = try StoreSession.connect(path, description, archive, noting: derivedChanges)
        var look = try FirstLook.read(from: connection, isDocument: isDocument)
        let given = try chosen(
            StoreSignature(uuid: look.metadata.uuid, versionHashes: look.metadata.versionHashes), resolve)
        let model = try model(given: given, &look, connection)
        let layout = try layout(of: model, in: look)
        let foreignTriggers = try foreignTriggers(in: look, layout)
        // Only now the file is known to be a store. For a document's store this call may change the
        // journal mode.
        try StoreSession.prepareWAL(of: connection, description)
        return StoreSession(
            path: path, description: description, archive: archive, connection: connection,
            derivedChanges: derivedChanges, layout: layout,
            rowLayouts: RowLayout.layouts(for: model), identity: StoreIdentity(uuid: look.metadata.uuid, model: model),
            files: files ?? .besideStore(at: path), writingRefusal: look.schema.catalog.writingRefusal,
            hasTriggers: !foreignTriggers.isEmpty, metadata: KnownMetadata(read: look.plist, look.metadata))
    }

    private var isDocument: Bool { description.journal == .heldByDocument }

    private func chosen(_ signature: StoreSignature?, _ resolve: ModelResolver) throws -> ManagedObjectModel? {
        do { return try resolve(signature) } catch { throw ResolvingError(underlying: error) }
    }

    /// The given model, if it fits the store; otherwise the store's own, which is read only when it
    /// is needed, together with the data of `look` anew.
    private func model(
        given: ManagedObjectModel?, _ look: inout FirstLook, _ connection: Connection
    ) throws -> ManagedObjectModel {
        let hashes = look.metadata.versionHashes
        if let given, given.isCompatible(withVersionHashes: hashes, configuration: description.configuration) {
            return given
        }
        let info: StoredModelInfo
        (look, info) = try connection.transaction(.deferred) {
            let look = try FirstLook.read(from: connection, isDocument: isDocument)
            return (look, try StoredModelInfo.read(from: connection, look.schema.catalog))
        }
        return try info.model(given: given, description)
    }

    /// - Throws: `StorageError.damaged` for a store that has none of the model's tables;
    ///   `incompatibleModel` if the store lacks parts, and may be one of another version.
    private func layout(of model: ManagedObjectModel, in look: FirstLook) throws(StorageError) -> StoreLayout {
        func mismatch(_ message: String, _ entities: [String]) -> StorageError {
            StorageError(
                .incompatibleModel, "The store is of another version, and lacks what the model names: \(message)",
                entities: entities)
        }
        let isOther =
            !look.metadata.hasVersionHashes
            || description.ignoresVersioning
                && !model.isCompatible(
                    withVersionHashes: look.metadata.versionHashes, configuration: description.configuration)
        let layout: StoreLayout
        do { layout = try look.schema.layout(for: model) } catch {
            throw isOther && error.code == .damaged ? mismatch(error.message, error.entities) : error
        }
        if isOther, let part = layout.missing.first {
            throw mismatch(part.message, [model.entities[part.entityIndex].name])
        }
        return layout
    }

    /// The triggers that are not the model's. The store of a document must not have any.
    private func foreignTriggers(in look: FirstLook, _ layout: StoreLayout) throws -> [StoreCatalog.Trigger] {
        let triggers = try look.schema.catalog.triggersBeside(layout)
        if isDocument, let trigger = triggers.first { throw SchemaRules.refusal(of: trigger) }
        return triggers
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
