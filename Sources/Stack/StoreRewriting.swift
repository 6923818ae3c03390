import AtomicStores
import Foundation
import Migration
import ObjectGraph
import SQLiteStore
package import Schema
package import Storage

/// How stores of a type are brought to another version by writing them anew.
package struct StoreRewriting: Sendable {
    /// The version that a store was written with.
    package let writtenVersion: @Sendable (PersistentStoreDescription, ManagedObjectModel) throws -> WrittenVersion
    /// Replaces a store by one in another version, which a function fills with the objects of the
    /// old one.
    let rewrite:
        @Sendable (
            _ description: PersistentStoreDescription, _ old: ManagedObjectModel, _ new: ManagedObjectModel,
            _ fill: (any StoreBackend, any StoreBackend) throws -> Void
        ) throws -> any StoreBackend

    /// That of XML and binary stores.
    package static let files = StoreRewriting(
        writtenVersion: { description, _ in try AtomicPersistentStore.writtenVersion(ofStoreAt: description.url) },
        rewrite: { try AtomicPersistentStore.rewrite($0, from: $1, to: $2, fill: $3) })

    static func custom(_ kind: any AtomicStore.Type) -> StoreRewriting {
        StoreRewriting(
            writtenVersion: { try AtomicPersistentStore.writtenVersion(of: kind, $0, $1) },
            rewrite: { try AtomicPersistentStore.rewrite(kind, $0, from: $1, to: $2, fill: $3) })
    }

    /// Migrates a store by a SQLite store in a temporary folder, which has the migration of tables.
    /// Objects keep their primary keys.
    /// - Parameter work: Migrates the temporary store.
    func migrate(
        _ description: PersistentStoreDescription, from old: ManagedObjectModel, to new: ManagedObjectModel,
        _ work: (PersistentStoreDescription) throws -> Void
    ) throws -> any StoreBackend {
        try rewrite(description, old, new) { source, target in
            let folder = try TemporaryStoreFolder()
            defer { folder.remove() }
            let files = ExternalValues.besideStore(at: folder.store.path)
            var temporary = PersistentStoreDescription(url: folder.store)
            let copy = try SQLitePersistentStore.create(
                temporary, model: old, uuid: source.identity.uuid, files: files)
            do {
                try RowCopier(from: source, to: copy).copy()
                try copy.closeAsOneFile()
            } catch {
                try? copy.close()
                throw error
            }
            temporary.createsIfMissing = false
            try work(temporary)
            let migrated = try SQLitePersistentStore.open(temporary, model: new, files: files)
            defer { try? migrated.close() }
            try RowCopier(from: migrated, to: target).copy()
        }
    }

    /// Migrates a store object by object.
    func migrate(
        _ description: PersistentStoreDescription, from old: ManagedObjectModel, to new: ManagedObjectModel,
        by mapping: MappingModel
    ) throws -> any StoreBackend {
        try rewrite(description, old, new) { try Self.migrateObjects($0, $1, mapping) }
    }

    static func migrateObjects(_ old: any StoreBackend, _ new: any StoreBackend, _ mapping: MappingModel) throws {
        let source = PersistentStoreCoordinator(managedObjectModel: old.identity.model, factories: [])
        let destination = PersistentStoreCoordinator(managedObjectModel: new.identity.model, factories: [])
        source.add(old)
        destination.add(new)
        try MigrationManager(from: source, to: destination).migrate(by: mapping)
    }
}

/// A folder for a store that is there while a migration runs. Only its user may read it.
struct TemporaryStoreFolder {
    private let url = FileManager.default.temporaryDirectory.appendingPathComponent(
        "folio-migration-\(UUID().uuidString)")

    init() throws {
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StorageError(
                .cannotCreate, "The folder for the migration can't be made", path: url.path, underlying: error)
        }
    }

    var store: URL { url.appendingPathComponent("store.sqlite") }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
