import Schema
import SQLiteKit
import Storage

/// The steps of a repair on the store that holds the salvaged rows.
extension SQLitePersistentStore {
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
