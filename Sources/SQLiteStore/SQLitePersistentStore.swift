import Foundation
package import RowMemory
package import Schema
import SQLiteKit
package import Storage
import Synchronization

/// A store in Core Data's own SQLite layout.
///
/// Reading leaves the file and its folder as they are; writing keeps to what Core Data itself
/// relies on (CoreDataFiles, Writing a SQLite store). The store serializes its work on one
/// connection.
package final class SQLitePersistentStore: PersistentStore {
    package let description: PersistentStoreDescription
    package let identity: StoreIdentity
    package let layouts: [RowLayout]
    /// Which tables and columns hold what.
    package let layout: StoreLayout
    let path: String
    let session: Mutex<StoreSession?>

    init(session: sending StoreSession) {
        description = session.description
        identity = session.identity
        layouts = session.rowLayouts
        layout = session.layout
        path = session.path
        self.session = Mutex(session)
    }

    /// Runs `body` with the open store, one caller at a time; everything thrown comes out as a
    /// `StorageError` (or a `QueryError`).
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
        try session.withLock { session in
            guard let open = session else { return }
            do { try open.close() } catch { throw open.error(error) }
            session = nil
        }
    }
}
