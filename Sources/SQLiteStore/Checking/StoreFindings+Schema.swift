import Foundation
import Schema
import SQLiteKit
import Storage

extension StoreFindings {
    func numberingFindings() throws -> [String] {
        var rows: [String: [(number: Int64, parent: Int64)]] = [:]
        for entity in try StoreCatalog.entities(from: session.connection) {
            rows[entity.name, default: []].append((entity.number, entity.parent))
        }
        var findings: [String] = []
        for entity in session.layout.model.entities {
            let found = rows[entity.name] ?? []
            // An entity that a migration renamed may still have its former name here.
            if found.isEmpty, session.layout[entity.index] != nil { continue }
            if found.isEmpty {
                findings.append("the entity \(entity.name) has no number")
            } else if found.count > 1 {
                findings.append("the entity \(entity.name) has \(found.count) numbers")
            } else if let storage = session.layout[entity.index] {
                let parent = entity.superentity.flatMap { session.layout[$0.index]?.number } ?? 0
                if found[0].number == storage.number, found[0].parent != parent {
                    findings.append("the entity \(entity.name) is numbered under another parent")
                }
            }
        }
        return findings
    }

    func schemaFindings() throws -> [String] {
        let expected = StoreSchema(session.layout)
        var findings: [String] = []
        var present: [String: [String: (name: String, type: String)]] = [:]
        for row in try session.connection.rows(
            "SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'")
        {
            guard let table = row[0].text, let column = row[1].text else { continue }
            present[SQLName.key(table), default: [:]][SQLName.key(column)] = (column, row[2].text ?? "")
        }
        for table in expected.tables {
            guard let columns = present[SQLName.key(table.name)] else {
                findings.append("the table \(table.name) is missing")
                continue
            }
            for column in table.columns {
                guard let found = columns[SQLName.key(column.name)] else {
                    findings.append("the column \(table.name).\(column.name) is missing")
                    continue
                }
                if found.type.uppercased() != column.type.rawValue {
                    findings.append(
                        "the column \(table.name).\(column.name) is of type \(found.type), not \(column.type.rawValue)")
                }
            }
        }
        let tables = Set(expected.tables.map { SQLName.key($0.name) } + expected.joins.map { SQLName.key($0.table) })
            .union(["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"])
        let sideTables = Set(
            try session.connection.rows(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name LIKE 'FOLIO%'"
            ).compactMap { row in
                row[0].text.flatMap { SideIndexes.isDefinition($0, row[1].text ?? "") ? SQLName.key($0) : nil }
            })
        for name in present.keys.sorted()
        where !tables.contains(name) && !Self.isBookkeeping(name) && !sideTables.contains(name) {
            findings.append("the table \(name) has no place in the model")
        }
        let indexes = Set(
            try session.connection.rows("SELECT name FROM sqlite_schema WHERE type = 'index'").compactMap {
                $0[0].text.map { SQLName.key($0) }
            })
        // A migration that renames a table keeps the names of its indexes.
        for index in expected.indexes where !indexes.contains(SQLName.key(index.name)) {
            guard try StoredTable.read(index.table, from: session.connection)?.has(index) != true else { continue }
            findings.append("the index \(index.name) is missing")
        }
        let triggers = Set(
            try session.connection.rows("SELECT sql FROM sqlite_schema WHERE type = 'trigger'").compactMap {
                $0[0].text
            })
        for trigger in try expected.triggers() where !triggers.contains(trigger.statement) {
            findings.append("the trigger \(trigger.name) is missing")
        }
        return findings
    }

    /// Tables of SQLite itself, and those of Core Data's history.
    private static func isBookkeeping(_ key: String) -> Bool {
        key.hasPrefix("SQLITE_") || ["ATRANSACTION", "ACHANGE", "ATRANSACTIONSTRING", "Z_MODELCACHE"].contains(key)
    }

    func referencedEntityFindings() throws -> [ReferenceFinding] {
        var findings: [ReferenceFinding] = []
        for storage in session.layout.storedEntities {
            let entity = session.layout.model.entities[storage.entityIndex]
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                guard case .toOne(let columns) = storage.properties[property.index] else { continue }
                let destination = try session.layout.storage(of: columns.destinationIndex)
                let allowed = session.layout.numbers(of: columns.destinationIndex, includingSubentities: true).map(
                    String.init
                ).joined(separator: ", ")
                let named = columns.entity.map { " OR t.\(SQLName.quoted($0)) <> d.Z_ENT" } ?? ""
                let rows = try session.connection.rows(
                    "SELECT t.Z_PK FROM \(SQLName.quoted(storage.table)) t JOIN \(SQLName.quoted(destination.table)) d ON d.Z_PK = t.\(SQLName.quoted(columns.key)) "
                        + "WHERE d.Z_ENT NOT IN (\(allowed))\(named) LIMIT 100")
                findings += rows.map {
                    ReferenceFinding(
                        "\(property.name) leads to an object of another entity than it says",
                        object: "\(entity.name)/p\($0[0].integer ?? 0)")
                }
            }
        }
        return findings
    }

    func valueNameFindings() throws -> [ReferenceFinding] {
        var findings: [ReferenceFinding] = []
        for storage in session.layout.storedEntities {
            let entity = session.layout.model.entities[storage.entityIndex]
            for property in entity.properties where property.declaringEntityIndex == entity.index {
                guard case .attribute(let column) = storage.properties[property.index], column.hasStoragePrefix else {
                    continue
                }
                let name = SQLName.quoted(column.name)
                for row in try session.connection.rows(
                    "SELECT Z_PK, substr(\(name), 1, 38) FROM \(SQLName.quoted(storage.table)) WHERE substr(\(name), 1, 1) = X'02'"
                ) {
                    guard findings.count < 100, let cell = row[1].blob, ExternalValues.name(inCell: Data(cell)) == nil
                    else { continue }
                    findings.append(
                        ReferenceFinding(
                            "\(property.name) is in a file whose name is none",
                            object: "\(entity.name)/p\(row[0].integer ?? 0)"))
                }
            }
        }
        return findings
    }
}
