internal import AtomicStores
internal import DocumentFiles
internal import FileSystem
internal import Foundation
internal import Migration
internal import ObjectGraph
internal import SQLiteStore
internal import Schema
internal import Storage

/// Builds a store of another model version from the open store of a session, which is unchanged.
struct MigratedStoreBuilder {
    /// The method of the migration.
    enum Way {
        /// By migration plans, one after the other. Primary keys are kept.
        case inPlace([MigrationPlan])
        /// Object by object, with new primary keys.
        case byObjects(MappingModel)
        /// In several steps, of which some go by mapping models.
        case mapped([VersionStep])
        /// In stages with handlers in between. Primary keys are kept.
        case staged(StagedSteps)
    }

    let session: DocumentSession
    let model: ManagedObjectModel
    private let way: Way
    private let policies: [String: EntityMigrationPolicy.Type]
    let progress: MigrationProgress?
    let checksRules: Bool

    /// - Parameter checksRules: Whether objects that break a rule of the new version are refused.
    ///   Not so in a store for reading, which is never saved.
    init(
        _ session: DocumentSession, _ model: ManagedObjectModel, _ way: Way,
        policies: [String: EntityMigrationPolicy.Type], checksRules: Bool = true, progress: MigrationProgress?
    ) {
        self.checksRules = checksRules
        self.session = session
        self.model = model
        self.way = way
        self.policies = policies
        self.progress = progress
    }

    /// The location of the large values of the session's store.
    var files: ExternalValues { session.content?.externalValues ?? .besideStore(at: session.storePath) }
    /// Whether large values are written again. Otherwise the new store refers to the existing
    /// files.
    var writesValues: Bool { if case .inPlace = way { session.sqliteStore == nil } else { true } }

    /// Builds a SQLite store: one closed and durable file with the identity of the old store.
    /// - Parameter target: The location for new large values; nil for that of the session. No file
    ///   is removed there.
    func makeStore(at path: String, files target: ExternalValues? = nil) throws {
        let files = target ?? self.files
        var description = PersistentStoreDescription(url: URL(fileURLWithPath: path))
        switch way {
        case .inPlace(let plans):
            try makeCopy(description, files)
            try migrateCopy(&description) {
                try SQLitePersistentStore.migrate(
                    $0, plans, files: files, checksRules: checksRules, progress: progress)
            }
        case .staged(let stages):
            // Handlers may write values. If those go elsewhere, the existing values have to be
            // copied, too.
            try makeCopy(description, files, withValues: target != nil)
            try migrateCopy(&description) { try stages.run($0, files: files, progress: progress) }
        case .mapped(let steps): try makeStore(at: path, files, by: steps)
        case .byObjects(let mapping):
            let store = try SQLitePersistentStore.create(description, model: model, uuid: session.uuid, files: files)
            do {
                try migrate(to: store, mapping)
                if let source = session.sqliteStore { try GreatestKeys(of: source).hold(in: store) }
                try store.closeAsOneFile()
            } catch {
                try? store.close()
                throw error
            }
        }
        try Disk.synchronizeFile(path)
    }

    func migrateCopy(
        _ description: inout PersistentStoreDescription, _ body: (PersistentStoreDescription) throws -> Void
    ) throws {
        let path = description.url.path
        description.createsIfMissing = false
        // This journal setting keeps values that only another store refers to from being removed as
        // unused.
        description.journal = .heldByDocument
        try body(description)
        try SQLiteStoreFile(path).checkpointWAL()
        for suffix in ["-wal", "-shm"] { try Disk.removeFileIfPresent(path + suffix) }
    }

    /// Builds a store of a type that is written as a whole.
    func makeAtomicStore(_ description: PersistentStoreDescription) throws {
        switch way {
        case .byObjects(let mapping): try makeAtomicStore(description) { try migrate(to: $0, mapping) }
        case .inPlace, .staged, .mapped:
            // Migrate in a temporary SQLite store, so that both kinds of store share one
            // implementation.
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

    /// Copies the old store to a separate SQLite file.
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
        try migrateObjects(from: session.store, to: store, mapping)
        try DocumentWriter.copyApplicationMetadata(from: session.store, to: store)
    }

    func migrateObjects(from old: any StoreBackend, to new: any StoreBackend, _ mapping: MappingModel) throws {
        let source = PersistentStoreCoordinator(managedObjectModel: old.identity.model, classes: [:], factories: [])
        let destination = PersistentStoreCoordinator(
            managedObjectModel: new.identity.model, classes: [:], factories: [])
        source.add(old)
        destination.add(new)
        try MigrationManager(from: source, to: destination, progress: progress).migrate(by: mapping, policies: policies)
    }
}
