import Foundation
import Schema
import SQLiteKit
import Storage

/// The store's own bookkeeping held against the model.
extension SQLitePersistentStore {
    /// Where the numbers of the entities are not those of the model: an entity that is missing,
    /// named twice, or has another parent.
    package func numberingFindings() throws -> [String] {
        try withSession { session in try session.reading { try StoreFindings(session).numberingFindings() } }
    }

    /// Tables, columns, indexes and triggers that a store of this model has and this one has not,
    /// or has otherwise. For the stores of documents, which Folio has made.
    package func schemaFindings() throws -> [String] {
        try withSession { session in try session.reading { try StoreFindings(session).schemaFindings() } }
    }

    /// References that name another entity than their destination is of; at most a hundred of each
    /// relationship.
    package func referencedEntityFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).referencedEntityFindings() } }
    }

    /// Cells that refer to a large value by something that is no name; at most a hundred of each
    /// attribute.
    package func valueNameFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).valueNameFindings() } }
    }
}
