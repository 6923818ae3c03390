package import Query
package import RowMemory
package import Schema
package import Storage

/// A store that has all its objects in memory: without a file, or with one that is read and written
/// as a whole.
///
/// Opening reads everything, each `apply` writes everything anew and durably, and requests examine
/// every object of a hierarchy. That suits small documents. If two instances use one file, their
/// changes are never mixed: the second one to save gets `StorageError.busy`.
package final class AtomicPersistentStore: StoreBackend {
    package let description: PersistentStoreDescription
    package let identity: StoreIdentity
    package let layouts: [RowLayout]
    private let session: SessionLock<AtomicSession>

    init(session: sending AtomicSession) {
        description = session.description
        identity = session.table.identity
        layouts = session.table.shape.layouts
        self.session = SessionLock(session)
    }

    /// Runs `body` with the open store, one caller at a time. Errors are converted to
    /// `StorageError` or `QueryError`.
    func withSession<Result: Sendable>(_ body: (AtomicSession) throws -> Result) throws -> Result {
        try session.withLock { session in
            guard let session else { preconditionFailure("The store is closed: keep it open as long as it is used") }
            do {
                return try body(session)
            } catch {
                throw session.error(error)
            }
        }
    }

    package func rows(_ request: RowRequest) throws -> RowBatch {
        try withSession { session in try session.table.rows(request) }
    }

    package func count(_ request: RowRequest) throws -> Int {
        try withSession { session in try session.table.count(request) }
    }

    package func table(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]] {
        try withSession { session in try session.table.rows(table, of: request) }
    }

    package func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws
        -> RelatedBatch
    {
        try withSession { session in
            let relation = session.table.shape.relation(entityIndex: entityIndex, propertyIndex: propertyIndex)
            return try session.table.related(relation, owners: owners, includingRows: includingRows)
        }
    }

    /// Reserves primary keys, in memory until the next `apply` writes them.
    package func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 {
        try withSession { session in try session.reserveKeys(entityIndex: entityIndex, count: count) }
    }

    package func apply(_ changes: ChangeSet) throws -> SaveReceipt {
        try withSession { session in try session.apply(changes) }
    }

    package var defersCommit: Bool { true }

    package func apply(_ changes: ChangeSet, beforeCommit: () throws -> Void) throws -> SaveReceipt {
        try withSession { session in try session.apply(changes, beforeCommit: beforeCommit) }
    }

    package func writingOnce(_ body: () throws -> Void) throws {
        try withSession { session in session.isWritingPutOff = true }
        try body()
        try withSession { session in
            session.isWritingPutOff = false
            try session.write()
        }
    }

    /// References to missing objects, at most a hundred, each with the object that has it and the
    /// missing target.
    package func danglingReferences() throws -> [(object: ManagedObjectID, property: String, target: ManagedObjectID)] {
        try withSession { session in session.table.danglingReferences(atMost: 100) }
    }

    package func omissions() throws -> StoreOmissions {
        var omissions = StoreOmissions()
        omissions.links = try withSession { session in session.table.lostMembers.count }
        return omissions
    }

    package func metadata() throws -> [String: MetadataValue] {
        try withSession { session in session.metadata.publicValues }
    }

    package func explanation(of request: RowRequest) throws -> QueryExplanation {
        try withSession { session in session.table.explanation(of: request) }
    }

    package func close() throws {
        try session.end { session in
            do { try session?.close() } catch { throw session?.error(error) ?? error }
        }
    }
}
