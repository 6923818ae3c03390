import Schema
import SQLiteKit
import Storage

/// What a repair does to the store that it has written what was saved into.
extension SQLitePersistentStore {
    /// Takes away references that lead to no row, and links of which an end is not there.
    /// - Returns: what they were, at most a hundred of each kind. Costs a pass over every table.
    package func removeDanglingReferences() throws -> [ReferenceFinding] {
        let findings = try referenceFindings()
        if !findings.isEmpty { try withSession { try StoreFindings($0).removeDanglingReferences() } }
        return findings
    }

    /// Objects without a value where the model demands one; at most a hundred of each attribute and
    /// relationship. Costs a pass over every table.
    package func missingValueFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try StoreFindings(session).missingValueFindings() } }
    }
}
