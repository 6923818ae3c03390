import Schema
import SQLiteKit
import Storage

/// A row or reference that is invalid.
package struct ReferenceFinding: Sendable, Hashable {
    /// `Entity/p7`, where the finding is about one object.
    package var object: String?
    package var message: String

    init(_ message: String, object: String? = nil) {
        self.message = message
        self.object = object
    }
}

extension SQLitePersistentStore {
    /// Rows with an unknown entity, invalid or unallocated primary keys, and dangling references;
    /// at most a hundred of each kind. Empty for a sound store. Costs a pass over every table.
    package func referenceFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).referenceFindings() } }
    }
}
