import Query
import RowMemory
import Schema
import SQLiteKit
package import Storage
import Synchronization

extension SQLitePersistentStore: GenerationStore {
    package func currentView() throws -> (any StoreView)? { try view(mayHoldUpWriters: false) }

    package func viewForReading() throws -> (any StoreView)? { try view(mayHoldUpWriters: true) }

    /// Pins all further reads of this store to the currently committed state, until it is closed.
    /// Writers may have to wait for it.
    /// - Throws: `StorageError.busy`, here and from later reads, if another program commits and no
    ///   lock preserves the state.
    package func holdState() throws {
        try withSession { try $0.hold() }
    }

    private func view(mayHoldUpWriters: Bool) throws -> (any StoreView)? {
        let mode = try withSession { $0.archive == nil ? try $0.connection.journalMode() : nil }
        // With a rollback journal no transaction can commit while a reader is active.
        guard mode == .wal || mode != nil && mode != .memory && mayHoldUpWriters, !description.isInMemory else {
            return nil
        }
        do {
            // Use a separate connection: an open read transaction must not obstruct the writing
            // connection.
            guard let connection = try connectionForView() else { return nil }
            try connection.execute("BEGIN DEFERRED")
            // A deferred transaction begins with its first read.
            _ = try connection.value("SELECT count(*) FROM Z_METADATA")
            var readOnly = description
            readOnly.isReadOnly = true
            let files = try withSession { $0.files }
            return SQLiteStoreView(
                of: self,
                session: StoreSession(
                    path: path, description: readOnly, connection: connection,
                    layout: layout, rowLayouts: layouts, identity: identity, files: files))
        } catch {
            throw StorageError(error, path: path)
        }
    }

    /// Nil for a store that is read without locks: other programs may write to it at any time.
    private func connectionForView() throws -> Connection? {
        guard description.isReadOnly else {
            var options = OpenOptions(.readOnly, defense: .foreign)
            options.busyTimeout = description.busyTimeout
            return try Connection(path, options)
        }
        let connection = try Connection.openForReading(
            path, defense: .foreign, busyTimeout: description.busyTimeout, ignoresWAL: description.ignoresWAL)
        return connection.keepsWritersOff ? connection : nil
    }
}

/// A connection with one read transaction that lasts until it is closed. It reads the state that
/// was committed when the transaction began.
final class SQLiteStoreView: StoreView {
    private let base: SQLitePersistentStore
    private let session: Mutex<StoreSession>

    init(of store: SQLitePersistentStore, session: sending StoreSession) {
        base = store
        self.session = Mutex(session)
    }

    deinit {
        // This also ends the transaction.
        session.withLock { try? $0.close() }
    }

    var store: any StoreBackend { base }

    private func read<Result: Sendable>(_ body: (StoreSession) throws -> Result) throws -> Result {
        try session.withLock { session in
            do { return try body(session) } catch { throw session.error(error) }
        }
    }

    func rows(_ request: RowRequest) throws -> RowBatch { try read { try $0.rows(request) } }
    func selection(_ request: RowRequest, known: KnownKeys) throws -> RowSelection {
        try read { try $0.selection(request, known: known) }
    }
    func count(_ request: RowRequest) throws -> Int { try read { try $0.count(request) } }
    func answerablePart(of request: RowRequest) throws -> RowRequest { try base.answerablePart(of: request) }
    func table(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]] {
        try read { try $0.rows(table, of: request) }
    }

    func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws -> RelatedBatch {
        try read {
            try $0.related(
                entityIndex: entityIndex, propertyIndex: propertyIndex, owners: owners, includingRows: includingRows)
        }
    }

    func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 {
        try base.reserveKeys(entityIndex: entityIndex, count: count)
    }
    func apply(_ changes: ChangeSet) throws -> SaveReceipt { try base.apply(changes) }
}
