import SQLiteKit
import Storage

extension StoreCatalog {
    /// Reads the catalog from a file.
    /// - Throws: `StorageError.notAStore` for a database that is not a Core Data store.
    static func read(from connection: Connection) throws -> StoreCatalog {
        var catalog = try schema(from: connection)
        for name in ["Z_METADATA", "Z_PRIMARYKEY"] where catalog.table(name) == nil {
            throw StorageError(
                .notAStore, catalog.foreignDatabase ?? "This is a damaged store: it has no table \(name)")
        }
        catalog.entities = try entities(from: connection)
        // The rows are ordered by number, so equal numbers are adjacent. The primary key forbids
        // them, but a foreign table may lack it.
        if let (one, other) = zip(catalog.entities, catalog.entities.dropFirst()).first(where: {
            $0.number == $1.number
        }) {
            throw StorageError(
                .damaged, "The store gives two entities the number \(one.number): \(one.name) and \(other.name)")
        }
        return catalog
    }

    /// What a database is that has nothing of a store; nil if it has some of a store's tables.
    var foreignDatabase: String? {
        let name = "Z_METADATA"
        guard tables.allSatisfy({ !SQLName.key($0.name).hasPrefix("Z_") && $0.column("Z_PK") == nil }) else {
            return nil
        }
        let what =
            tables.isEmpty && triggers.isEmpty
            ? "an empty SQLite database" : "a SQLite database, but none of Core Data's"
        return "This is \(what): it has no table \(name)"
    }

    /// The tables and triggers of a file.
    static func schema(from connection: Connection) throws -> StoreCatalog {
        let schema = try connection.rows("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'trigger')")
        var columns: [String: [String]] = [:]
        for row in try connection.rows(
            "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' AND t.sql LIKE 'CREATE TABLE%'"
        ) {
            if let table = row[0].text, let column = row[1].text { columns[table, default: []].append(column) }
        }
        var tables: [Table] = []
        var triggers: [Trigger] = []
        var sideIndexes: [String: String] = [:]
        for row in schema {
            guard let name = row[1].text else { continue }
            if row[0].text == "trigger" {
                triggers.append(Trigger(name: name, statement: row[2].text ?? ""))
            } else if let statement = row[2].text, SideIndexes.isDefinition(name, statement) {
                sideIndexes[name] = statement
            } else if let columns = columns[name] {
                // Other virtual tables do not belong to a store. Reading them could run foreign
                // code.
                tables.append(Table(name: name, columns: columns))
            }
        }
        return StoreCatalog(tables: tables, entities: [], triggers: triggers, sideIndexes: sideIndexes)
    }

    /// The rows of `Z_PRIMARYKEY`.
    static func entities(from connection: Connection) throws -> [NumberedEntity] {
        try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT").compactMap { row in
            guard let number = row[0].integer, let name = row[1].text else { return nil }
            return NumberedEntity(number: number, name: name, parent: row[2].integer ?? 0)
        }
    }
}
