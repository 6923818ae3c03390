import Schema
import SQLiteKit
import Storage

extension StoreFindings {
    func removeDanglingReferences() throws {
        try session.connection.transaction(.immediate) {
            var joinTables: Set<String> = []
            for storage in session.layout.storedEntities {
                let entity = session.layout.model.entities[storage.entityIndex]
                for property in entity.properties where property.declaringEntityIndex == entity.index {
                    switch storage.properties[property.index] {
                    case .toOne(let columns):
                        let
                            destination = SQLName.quoted(
                                try session.layout.storage(of: columns.destinationIndex).table),
                            key = SQLName.quoted(columns.key)
                        let cleared = [columns.key, columns.entity, columns.order].compactMap { $0 }.map {
                            "\(SQLName.quoted($0)) = NULL"
                        }
                        try session.connection.execute(
                            "UPDATE \(SQLName.quoted(storage.table)) SET \(cleared.joined(separator: ", ")) WHERE \(key) IS NOT NULL "
                                + "AND \(key) NOT IN (SELECT Z_PK FROM \(destination))")
                    case .manyToMany(let join) where joinTables.insert(join.table).inserted:
                        let destination = SQLName.quoted(try session.layout.storage(of: join.destinationIndex).table)
                        try session.connection.execute(
                            "DELETE FROM \(SQLName.quoted(join.table)) WHERE \(SQLName.quoted(join.ownerColumn)) NOT IN (SELECT Z_PK FROM "
                                + "\(SQLName.quoted(storage.table))) OR \(SQLName.quoted(join.memberColumn)) NOT IN (SELECT Z_PK FROM \(destination))"
                        )
                    default: break
                    }
                }
            }
        }
    }

    func missingValueFindings() throws -> [ReferenceFinding] {
        var findings: [ReferenceFinding] = []
        for storage in session.layout.storedEntities {
            let entity = session.layout.model.entities[storage.entityIndex]
            for property in entity.properties where !property.isOptional && !property.isTransient {
                let column: String
                switch storage.properties[property.index] {
                case .attribute(let attribute): column = attribute.name
                case .toOne(let columns): column = columns.key
                default: continue
                }
                let rows = try session.connection.rows(
                    "SELECT Z_PK FROM \(SQLName.quoted(storage.table)) WHERE Z_ENT = ? AND \(SQLName.quoted(column)) IS NULL LIMIT 100",
                    [.integer(storage.number)])
                findings += rows.map {
                    ReferenceFinding(
                        "\(property.name) has no value and needs one", object: "\(entity.name)/p\($0[0].integer ?? 0)")
                }
            }
        }
        return findings
    }
}
