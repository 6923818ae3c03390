import SQLiteKit

/// The names of tables, views and indexes in a database, which share one namespace.
struct OccupiedNames {
    enum Kind: Hashable {
        case table, view
        /// An index of a table, by its key.
        case index(table: String)
    }

    /// By key (`SQLName.key`).
    let kinds: [String: Kind]

    static func read(from connection: Connection) throws -> OccupiedNames {
        var kinds: [String: Kind] = [:]
        for row in try connection.rows(
            "SELECT type, name, tbl_name FROM sqlite_schema WHERE type IN ('table', 'view', 'index')")
        {
            guard let name = row[1].text else { continue }
            kinds[SQLName.key(name)] =
                switch row[0].text {
                case "index": .index(table: SQLName.key(row[2].text ?? ""))
                case "view": .view
                default: .table
                }
        }
        return OccupiedNames(kinds: kinds)
    }
}
