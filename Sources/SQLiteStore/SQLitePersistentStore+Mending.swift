import Schema
import SQLiteKit
import Storage

/// What a repair does to the store that it has written what was saved into.
extension SQLitePersistentStore {
    /// Takes away references that lead to no row, and links of which an end is not there.
    /// - Returns: what they were, at most a hundred of each kind. Costs a pass over every table.
    package func removeDanglingReferences() throws -> [ReferenceFinding] {
        let findings = try referenceFindings()
        if !findings.isEmpty { try withSession { try $0.removeDanglingReferences() } }
        return findings
    }

    /// Objects without a value where the model demands one; at most a hundred of each attribute and relationship. Costs a pass over every table.
    package func missingValueFindings() throws -> [ReferenceFinding] {
        try withSession { session in try session.reading { try session.missingValueFindings() } }
    }
}

extension StoreSession {
    fileprivate func removeDanglingReferences() throws {
        try connection.transaction(.immediate) {
            var joinTables: Set<String> = []
            for storage in layout.storedEntities {
                let entity = layout.model.entities[storage.entityIndex]
                for property in entity.properties where property.declaringEntityIndex == entity.index {
                    switch storage.properties[property.index] {
                    case .toOne(let columns):
                        let destination = SQLName.quoted(try layout.storage(of: columns.destinationIndex).table), key = SQLName.quoted(columns.key)
                        let cleared = [columns.key, columns.entity, columns.order].compactMap { $0 }.map { "\(SQLName.quoted($0)) = NULL" }
                        try connection.execute(
                            "UPDATE \(SQLName.quoted(storage.table)) SET \(cleared.joined(separator: ", ")) WHERE \(key) IS NOT NULL "
                                + "AND \(key) NOT IN (SELECT Z_PK FROM \(destination))")
                    case .manyToMany(let join) where joinTables.insert(join.table).inserted:
                        let destination = SQLName.quoted(try layout.storage(of: join.destinationIndex).table)
                        try connection.execute(
                            "DELETE FROM \(SQLName.quoted(join.table)) WHERE \(SQLName.quoted(join.ownerColumn)) NOT IN (SELECT Z_PK FROM "
                                + "\(SQLName.quoted(storage.table))) OR \(SQLName.quoted(join.memberColumn)) NOT IN (SELECT Z_PK FROM \(destination))")
                    default: break
                    }
                }
            }
        }
    }

    fileprivate func missingValueFindings() throws -> [ReferenceFinding] {
        var findings: [ReferenceFinding] = []
        for storage in layout.storedEntities {
            let entity = layout.model.entities[storage.entityIndex]
            for property in entity.properties where !property.isOptional && !property.isTransient {
                let column: String
                switch storage.properties[property.index] {
                case .attribute(let attribute): column = attribute.name
                case .toOne(let columns): column = columns.key
                default: continue
                }
                let rows = try connection.rows(
                    "SELECT Z_PK FROM \(SQLName.quoted(storage.table)) WHERE Z_ENT = ? AND \(SQLName.quoted(column)) IS NULL LIMIT 100", [.integer(storage.number)])
                findings += rows.map { ReferenceFinding("\(property.name) has no value and needs one", object: "\(entity.name)/p\($0[0].integer ?? 0)") }
            }
        }
        return findings
    }
}
