import Foundation
import Schema
import SQLiteKit
import Storage

/// Checks of the store's bookkeeping against the model.
extension SQLitePersistentStore {
    /// Entities whose numbers disagree with the model: an entity that is missing, has two numbers,
    /// or has another parent.
    package func numberingFindings() throws -> [String] {
        try withSession { session in try session.reading { try StoreFindings(session).numberingFindings() } }
    }

    /// Tables, columns, indexes and triggers that a store of this model should have and that are
    /// missing or different here. For the stores of documents, which Folio created.
    package func schemaFindings() throws -> [String] {
        try withSession { session in try session.reading { try StoreFindings(session).schemaFindings() } }
    }

    /// References whose entity is not in the hierarchy of the relationship's destination; at most a
    /// hundred for each relationship.
    package func referencedEntityFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).referencedEntityFindings() } }
    }

    /// Cells that refer to an external value by an invalid name; at most a hundred for each
    /// attribute.
    package func valueNameFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).valueNameFindings() } }
    }
}
