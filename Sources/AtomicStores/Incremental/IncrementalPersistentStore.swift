import Foundation
package import Query
package import RowMemory
package import Schema
package import Storage

/// A store of an application's own type that is read and written object by object.
package final class IncrementalPersistentStore: StoreBackend {
    package let description: PersistentStoreDescription
    package let identity: StoreIdentity
    package let layouts: [RowLayout]
    private let session: SessionLock<IncrementalSession>

    private init(_ session: sending IncrementalSession, _ identity: StoreIdentity) {
        description = session.description
        layouts = session.shape.layouts
        self.identity = identity
        self.session = SessionLock(session)
    }

    /// The factory of an application's own store type, for the coordinator's registry.
    package static func factory(_ kind: any IncrementalStore.Type) -> StoreFactory {
        factory(kind.storeType) { try kind.init($0, model: $1) }
    }

    /// The factory of a store type whose instances a function makes.
    package static func factory(
        _ type: StoreType,
        _ make: @escaping @Sendable (PersistentStoreDescription, ManagedObjectModel) throws -> any IncrementalStore
    ) -> StoreFactory {
        AtomicPersistentStore.customFactory(type) { try open(try make($0, $1), $0, $1) }
    }

    private static func open(
        _ store: any IncrementalStore, _ description: PersistentStoreDescription, _ model: ManagedObjectModel
    ) throws -> IncrementalPersistentStore {
        let shape = try TableShape(model, configuration: description.configuration)
        if try store.loadMetadata() == nil {
            guard description.createsIfMissing, !description.isReadOnly else {
                throw StorageError(.notFound, "There is no store")
            }
            try store.performSave {
                // Another process may have created it meanwhile.
                guard try store.loadMetadata() == nil else { return }
                let new = StoreMetadata(
                    uuid: UUID().uuidString, type: description.type, model: model,
                    configuration: description.configuration)
                try store.execute(
                    IncrementalSaveRequest(metadata: new.publicValues),
                    with: IncrementalStoreContext(Self.identity(new.uuid, model)))
            }
        }
        guard let values = try store.loadMetadata() else {
            throw StorageError(.inputOutput, "The store was made and is not there")
        }
        let metadata = try StoreMetadata(values, description.type)
        if !metadata.versionHashes.isEmpty { try metadata.check(model, description) }
        let identity = Self.identity(metadata.uuid, model)
        return IncrementalPersistentStore(
            IncrementalSession(store, description, shape, IncrementalStoreContext(identity)), identity)
    }

    private static func identity(_ uuid: String, _ model: ManagedObjectModel) -> StoreIdentity {
        StoreIdentity(uuid: uuid, model: model, references: StoreReferences.shared(storeUUID: uuid))
    }

    /// Runs `body` with the open store, one caller at a time. Errors are converted to
    /// `StorageError` or `QueryError`.
    private func withSession<Result: Sendable>(_ body: (IncrementalSession) throws -> Result) throws -> Result {
        try session.withLock { session in
            guard let session else { preconditionFailure("The store is closed: keep it open as long as it is used") }
            do { return try body(session) } catch { throw session.error(error) }
        }
    }

    // MARK: Reading

    package func rows(_ request: RowRequest) throws -> RowBatch { try withSession { try $0.table().rows(request) } }

    package func count(_ request: RowRequest) throws -> Int { try withSession { try $0.table().count(request) } }

    package func references(_ request: RowRequest) throws -> [ObjectReference]? {
        try withSession { try $0.table().references(request) }
    }

    package func table(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]] {
        try withSession { try $0.table().rows(table, of: request) }
    }

    package func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws
        -> RelatedBatch
    {
        try withSession { session in
            let relation = session.shape.relation(entityIndex: entityIndex, propertyIndex: propertyIndex)
            return try session.table().related(
                relation, owners: owners, includingRows: includingRows && !session.givesFaults)
        }
    }

    package func metadata() throws -> [String: MetadataValue] { try withSession { try $0.metadata().publicValues } }

    package func explanation(of request: RowRequest) throws -> QueryExplanation {
        try withSession { $0.table().explanation(of: request) }
    }

    /// Runs `body` while no other thread asks the store.
    package func exclusively<Result>(_ body: () throws -> Result) rethrows -> Result {
        try session.withLock { _ in try body() }
    }

    // MARK: Writing

    package func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 {
        try withSession { try $0.reserveKeys(entityIndex: entityIndex, count: count) }
    }

    package func apply(_ changes: ChangeSet) throws -> SaveReceipt { try withSession { try $0.apply(changes) } }

    package var defersCommit: Bool { true }

    package func apply(_ changes: ChangeSet, beforeCommit: () throws -> Void) throws -> SaveReceipt {
        try withSession { try $0.apply(changes, beforeCommit: beforeCommit) }
    }

    package func close() throws {
        try session.end { session in
            do { try session?.close() } catch { throw session?.error(error) ?? error }
        }
    }
}
