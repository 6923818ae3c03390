import Foundation
package import Schema
package import Storage

extension AtomicPersistentStore {
    /// The factory of an application's own store type, for the coordinator's registry.
    package static func customFactory(_ kind: any AtomicStore.Type) -> StoreFactory {
        customFactory(kind.storeType) { try kind.init($0, model: $1) }
    }

    /// The factory of a store type whose instances a function makes.
    package static func customFactory(
        _ type: StoreType,
        _ make: @escaping @Sendable (PersistentStoreDescription, ManagedObjectModel) throws -> any AtomicStore
    ) -> StoreFactory {
        customFactory(type) { try open(try make($0, $1), $0, $1) }
    }

    /// The factory of an application's own store type, whose stores have no model of their own.
    static func customFactory(
        _ type: StoreType,
        _ open: @escaping @Sendable (PersistentStoreDescription, ManagedObjectModel) throws -> any StoreBackend
    ) -> StoreFactory {
        StoreFactory(type: type) { description, model in
            try checkOptions(description)
            guard let model else {
                throw StorageError(
                    .noModel, "A store of type \(type.rawValue) carries no model", path: description.url.path)
            }
            do {
                return try open(description, model)
            } catch {
                throw StorageError(below: error, path: description.url.path)
            }
        }
    }

    private static func open(
        _ store: any AtomicStore, _ description: PersistentStoreDescription, _ model: ManagedObjectModel
    ) throws -> AtomicPersistentStore {
        let format = StoreFormat.custom(store, description.type)
        guard let content = try store.load() else {
            guard description.createsIfMissing, !description.isReadOnly else {
                throw StorageError(.notFound, "There is no store")
            }
            return try make(description, model, format: format)
        }
        guard StoreIdentity.isLegal(content.uuid) else {
            throw StorageError(.damaged, "The store's UUID is none: \(content.uuid.prefix(80))")
        }
        let metadata = StoreMetadata(
            uuid: content.uuid, type: format.type, values: content.metadata.mapValues { .init($0) })
        if !metadata.versionHashes.isEmpty { try metadata.check(model, description) }
        let shape = try TableShape(model, configuration: description.configuration)
        let identity = StoreIdentity(
            uuid: metadata.uuid, model: model, references: (store as? any ReferencingAtomicStore)?.references)
        let table = RowTable(shape, identity: identity, numbers: format.numbers)
        let unknown = try CustomContent(shape, ignoringUnknown: description.ignoresVersioning).load(
            content, into: table)
        return AtomicPersistentStore(
            session: AtomicSession(
                description: description, table: table, metadata: metadata, format: format, file: nil,
                unknown: unknown))
    }
}
