import Schema
import SQLiteKit
import Storage

/// A row or reference that can't be as it is.
package struct ReferenceFinding: Sendable, Hashable {
    /// `Entity/p7`, where it is about one object.
    package var object: String?
    package var message: String

    init(_ message: String, object: String? = nil) {
        self.message = message
        self.object = object
    }
}

extension SQLitePersistentStore {
    /// Rows of no entity, numbers that were never given out, and references that lead to no row; at
    /// most a hundred of each kind. None for a sound store. Costs a pass over every table.
    package func referenceFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).referenceFindings() } }
    }
}
