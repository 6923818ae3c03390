import SQLiteKit
import Storage

extension StoreCatalog {
    /// Reads what the file has.
    /// - Throws: `StorageError.notAStore` for a database that is none of Core Data's.
    static func read(from connection: Connection) throws -> StoreCatalog {
        let schema = try connection.rows("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'trigger')")
        var tables: [Table] = []
        var triggers: [Trigger] = []
        for row in schema {
            guard let name = row[1].text else { continue }
            let statement = row[2].text ?? ""
            if row[0].text == "trigger" {
                triggers.append(Trigger(name: name, statement: statement))
            } else if SQLName.key(statement).hasPrefix("CREATE TABLE") {
                // Virtual tables would run code of their own: they are no store's.
                let columns = try connection.rows("SELECT name FROM pragma_table_info(?)", [.text(name)]).compactMap(\.[0].text)
                tables.append(Table(name: name, columns: columns))
            }
        }
        let catalog = StoreCatalog(tables: tables, entities: [], triggers: triggers)
        for name in ["Z_METADATA", "Z_PRIMARYKEY"] where catalog.table(name) == nil {
            let what = schema.isEmpty ? "an empty SQLite database" : "a SQLite database, but none of Core Data's"
            throw StorageError(.notAStore, "This is \(what): it has no table \(name)")
        }
        var complete = catalog
        complete.entities = try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT").compactMap { row in
            guard let number = row[0].integer, let name = row[1].text else { return nil }
            return NumberedEntity(number: number, name: name, parent: row[2].integer ?? 0)
        }
        return complete
    }
}
