internal import AtomicStores
internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import Migration
internal import ObjectGraph
internal import SQLiteStore
internal import Schema
internal import Storage

/// Makes a store of another version of the model out of the one that a session has open, which
/// stays as it is.
struct MigratedStoreBuilder {
    /// How objects come to the new version.
    enum Way {
        /// By plans, one after the other: numbers are kept.
        case inPlace([MigrationPlan])
        /// Object by object, with new numbers.
        case byObjects(MappingModel)
        /// Step by step with handlers in between: numbers are kept.
        case staged(StagedSteps)
    }

    let session: DocumentSession
    let model: ManagedObjectModel
    private let way: Way
    private let policies: [String: EntityMigrationPolicy.Type]
    private let progress: MigrationProgress?

    init(
        _ session: DocumentSession, _ model: ManagedObjectModel, _ way: Way,
        policies: [String: EntityMigrationPolicy.Type], progress: MigrationProgress?
    ) {
        self.session = session
        self.model = model
        self.way = way
        self.policies = policies
        self.progress = progress
    }

    /// Where the session's store keeps its large values.
    var files: ExternalValues { session.content?.externalValues ?? .besideStore(at: session.storePath) }
    /// Whether the new store's values are written anew; else it refers to those that are there.
    var writesValues: Bool { if case .inPlace = way { session.sqliteStore == nil } else { true } }

    /// Makes a SQLite store, one closed and durable file with the identity of the old one.
    /// - Parameter target: Where new large values go; nil for among those of the session. None is
    ///   removed there.
    func makeStore(at path: String, files target: ExternalValues? = nil) throws {
        let files = target ?? self.files
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        switch way {
        case .inPlace(let plans):
            try makeCopy(description, files)
            try migrateCopy(&description) {
                try SQLitePersistentStore.migrate($0, plans, files: files, progress: progress)
            }
        case .staged(let stages):
            // Handlers may write values: where they go elsewhere, so do those that are there.
            try makeCopy(description, files, withValues: target != nil)
            try migrateCopy(&description) { try stages.run($0, files: files, progress: progress) }
        case .byObjects(let mapping):
            let store = try SQLitePersistentStore.create(description, model: model, uuid: session.uuid, files: files)
            do {
                try migrate(to: store, mapping)
                try store.closeAsOneFile()
            } catch {
                try? store.close()
                throw error
            }
        }
        try Disk.synchronizeFile(path)
    }

    private func migrateCopy(
        _ description: inout PersistentStoreDescription, _ body: (PersistentStoreDescription) throws -> Void
    ) throws {
        let path = description.url.path
        description.createsIfMissing = false
        // By this journal nothing is taken for unused that only another store refers to.
        description.journal = .heldByDocument
        try body(description)
        try SQLitePersistentStore.checkpointWAL(at: path)
        for suffix in ["-wal", "-shm"] { try Disk.removeFileIfPresent(path + suffix) }
    }

    /// Makes a store of a type that is written as a whole.
    func makeAtomicStore(_ description: PersistentStoreDescription) throws {
        switch way {
        case .byObjects(let mapping): try makeAtomicStore(description) { try migrate(to: $0, mapping) }
        case .inPlace, .staged:
            // Where tables are there is a way that is known to be right.
            let folder = try StateFolder.makeTemporary()
            defer { StateFolder.removeTemporary(folder) }
            let path = FilePath.join(folder, "store.sqlite")
            let files = ExternalValues.besideStore(at: path)
            try makeStore(at: path, files: files)
            let migrated = try SQLitePersistentStore.open(
                PersistentStoreDescription(url: URL(fileURLWithPath: path)), model: model, files: files)
            defer { try? migrated.close() }
            try makeAtomicStore(description) { store in
                try RowCopier(from: migrated, to: store, progress: { try WorkProgress.advance(by: Int64($0)) }).copy()
                try DocumentWriter.copyApplicationMetadata(from: session.store, to: store)
            }
        }
    }

    private func makeAtomicStore(
        _ description: PersistentStoreDescription, filling fill: (any StoreBackend) throws -> Void
    ) throws {
        let store = try BareStore.create(description, model: model)
        do {
            try store.writingOnce { try fill(store) }
            try store.close()
        } catch {
            try? store.close()
            throw error
        }
    }

    /// The old store as a SQLite file of its own.
    private func makeCopy(_ description: PersistentStoreDescription, _ files: ExternalValues, withValues: Bool = false)
        throws
    {
        if !withValues, let store = session.sqliteStore { return try store.copy(to: description.url.path) }
        let store = try SQLitePersistentStore.create(
            description, model: session.model, uuid: session.uuid, files: files)
        do {
            try RowCopier(from: session.store, to: store, progress: { try WorkProgress.advance(by: Int64($0)) }).copy()
            try store.closeAsOneFile()
        } catch {
            try? store.close()
            throw error
        }
    }

    private func migrate(to store: any StoreBackend, _ mapping: MappingModel) throws {
        let source = PersistentStoreCoordinator(managedObjectModel: session.model, classes: [:], factories: [])
        let destination = PersistentStoreCoordinator(managedObjectModel: model, classes: [:], factories: [])
        source.add(session.store)
        destination.add(store)
        try MigrationManager(from: source, to: destination, progress: progress).migrate(by: mapping, policies: policies)
        try DocumentWriter.copyApplicationMetadata(from: session.store, to: store)
    }
}
