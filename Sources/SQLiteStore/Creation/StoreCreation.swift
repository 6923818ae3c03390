import Coding
import FileSystem
import Foundation
import ModelFiles
import RowMemory
import Schema
import SQLiteKit
import Storage

/// Creates one store with its model embedded, as a file or in memory.
struct StoreCreation {
    private let description: PersistentStoreDescription
    private let model: ManagedObjectModel
    private let uuid: String
    private let files: ExternalValues?
    private var path: String { description.url.path }

    init(
        _ description: PersistentStoreDescription, model: ManagedObjectModel, uuid: String?, files: ExternalValues?
    ) {
        self.description = description
        self.model = model
        self.uuid = (uuid ?? UUID().uuidString).uppercased()
        self.files = files
    }

    /// The new store. After an error there is no file, unless it existed before.
    func store() throws -> SQLitePersistentStore {
        do {
            let layout = try StoreLayout.creating(model, configuration: description.configuration)
            let metadata = StoreMetadata(
                uuid: uuid, type: .sqlite, model: model, configuration: description.configuration
            ).exchanging([StoreMetadataKey.autoVacuum: "2"])
            // Create the file exclusively, so that an existing file is never overwritten.
            if !description.isInMemory { try File(path, .create(mode: description.fileMode ?? 0o666)).close() }
            do {
                let derivedChanges = DerivedChanges()
                let connection = try makeDatabase(layout, metadata, derivedChanges)
                if !description.isInMemory { try Disk.synchronizeDirectory(FilePath.parent(path)) }
                return SQLitePersistentStore(
                    session: StoreSession(
                        path: path, description: description, connection: connection, derivedChanges: derivedChanges,
                        layout: layout,
                        rowLayouts: RowLayout.layouts(for: model),
                        identity: StoreIdentity(uuid: uuid, model: model),
                        files: files ?? (description.isInMemory ? .inMemory() : .besideStore(at: path))))
            } catch let error as MissingWAL {
                throw error.underlying
            } catch {
                for suffix in ["", "-wal", "-shm", "-journal"] where !description.isInMemory {
                    _ = try? Disk.removeFileIfPresent(path + suffix)
                }
                throw error
            }
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Writes the tables and their first rows.
    private func makeDatabase(
        _ layout: StoreLayout, _ metadata: StoreMetadata, _ derivedChanges: DerivedChanges
    ) throws -> Connection {
        let cache = try ModelCache.encode(model)
        var writable = description
        writable.isReadOnly = false
        let connection = try StoreSession.connect(path, writable, noting: derivedChanges)
        // These three can only be set before the first page is written.
        try connection.execute("PRAGMA page_size=4096; PRAGMA auto_vacuum=2; PRAGMA encoding='UTF-8'")
        try connection.setSynchronous(.extra)
        try connection.transaction(.immediate) {
            for statement in try StoreSchema(layout).statements { try connection.execute(statement) }
            for storage in layout.storedEntities {
                let entity = layout.model.entities[storage.entityIndex]
                let parent = entity.superentity.flatMap { layout[$0.index]?.number } ?? 0
                try connection.run(
                    "INSERT INTO Z_PRIMARYKEY VALUES (?, ?, ?, 0)",
                    [.integer(storage.number), .text(entity.name), .integer(parent)])
            }
            try connection.run(
                "INSERT INTO Z_METADATA VALUES (1, ?, ?)", [.text(metadata.uuid), .blob([UInt8](metadata.encoded))])
            try connection.run("INSERT INTO Z_MODELCACHE VALUES (?)", [.blob([UInt8](cache))])
        }
        // Set the mode after the content is written, so that the main file alone is a complete
        // store from the beginning.
        do {
            if !description.isInMemory { try StoreSession.setJournalMode(.wal, of: connection, description) }
            try StoreSession.prepareWAL(of: connection, description)
        } catch let error as SQLiteError where error.isOfLocks {
            throw MissingWAL(underlying: error)
        }
        return connection
    }
}

/// The store is complete, but its journal mode could not be set because others use it. It is not
/// removed, because they may rely on it by now.
private struct MissingWAL: Error {
    let underlying: SQLiteError
}
