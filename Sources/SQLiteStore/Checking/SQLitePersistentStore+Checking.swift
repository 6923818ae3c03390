import Schema
import SQLiteKit
import Storage

/// Checks of the store's content, and the mending of what a repair has salvaged.
extension SQLitePersistentStore {
    /// The defects that SQLite finds in the store's pages; empty for a sound store. Reads the whole
    /// file.
    /// - Parameter isThorough: whether indexes are compared with their tables too.
    package func integrityFindings(isThorough: Bool) throws -> [String] {
        try withSession { session in
            try session.reading {
                let rows = try session.connection.rows(
                    isThorough ? "PRAGMA integrity_check(100)" : "PRAGMA quick_check(100)")
                return rows.compactMap { $0.first?.text }.filter { $0 != "ok" }
                    + (isThorough ? try session.indexing.sideIndexFindings(on: session.connection) : [])
            }
        }
    }

    /// Rows with an unknown entity, invalid or unallocated primary keys, and dangling references;
    /// at most a hundred of each kind. Empty for a sound store. Costs a pass over every table.
    package func referenceFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).referenceFindings() } }
    }

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

    /// Cells that are not of their property's type; at most a hundred for each property. Costs a
    /// pass over a table for each property.
    package func cellFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).cellFindings() } }
    }

    /// Cells that refer to an external value by an invalid name; at most a hundred for each
    /// attribute.
    package func valueNameFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).valueNameFindings() } }
    }

    // MARK: Mending

    /// Removes references to missing rows, and join table rows with a missing end.
    /// - Returns: the removed references, at most a hundred of each kind. Costs a pass over every
    ///   table.
    package func removeDanglingReferences() throws -> [ReferenceFinding] {
        let findings = try referenceFindings()
        if !findings.isEmpty { try withSession { try StoreFindings($0).removeDanglingReferences() } }
        return findings
    }

    /// Objects without a value for a mandatory attribute or relationship; at most a hundred for
    /// each property. Costs a pass over every table.
    package func missingValueFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).missingValueFindings() } }
    }
}
