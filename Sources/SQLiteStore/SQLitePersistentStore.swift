import Foundation
package import RowMemory
package import Schema
import SQLiteKit
package import Storage
import Synchronization

/// A store in Core Data's SQLite format.
///
/// Reading leaves the file and its folder unchanged. Writing preserves everything that Core Data
/// relies on. The store serializes its work on one connection.
package final class SQLitePersistentStore: StoreBackend {
    package let description: PersistentStoreDescription
    package let identity: StoreIdentity
    package let layouts: [RowLayout]
    /// The mapping from the model to tables and columns.
    package let layout: StoreLayout
    let path: String
    let session: Mutex<StoreSession?>
    /// Those who are told of commits to a store in memory.
    let memoryObservers = MemoryCommitObservers()
    static let sharedInMemory = SharedMemoryStores<SQLitePersistentStore>()

    init(session: sending StoreSession) {
        description = session.description
        identity = session.identity
        layouts = session.rowLayouts
        layout = session.layout
        path = session.path
        self.session = Mutex(session)
    }

    /// Runs `body` with the open store, one caller at a time. Errors are converted to
    /// `StorageError` or `QueryError`.
    func withSession<Result: Sendable>(_ body: (StoreSession) throws -> Result) throws -> Result {
        try session.withLock { session in
            guard let session else { preconditionFailure("The store is closed: keep it open as long as it is used") }
            session.followDebugLevel()
            defer { session.tellDebugEvents() }
            do {
                return try body(session)
            } catch let error as CancellationError {
                throw error
            } catch {
                throw session.error(error)
            }
        }
    }

    package func close() throws {
        if let name = description.sharedMemoryName, !Self.sharedInMemory.close(name, self) { return }
        try session.withLock { session in
            guard let open = session else { return }
            do { try open.close() } catch { throw open.error(error) }
            session = nil
        }
    }
}
