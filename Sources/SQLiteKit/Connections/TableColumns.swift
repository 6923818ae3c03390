internal import CSQLite
internal import SQLiteFile

/// The columns of a table as its records have them.
struct TableColumns {
    /// In the order of the records.
    private(set) var names: [String] = []
    /// The column that is the row's number.
    private(set) var key: Int?
    /// The columns that have a default other than NULL.
    private(set) var withDefault: Set<Int> = []

    /// Nil for what is no table of rows with numbers, or has columns that no record has.
    init?(_ table: String, _ connection: Connection) throws {
        // Name, type, default, place in the primary key, and whether it is hidden or computed.
        let rows = try connection.rows(
            "SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?)", [.text(table)])
        for (place, row) in rows.enumerated() {
            guard let name = row[0].text, row[4].integer == 0 else { return nil }
            names.append(name)
            if row[2] != .null { withDefault.insert(place) }
            guard let position = row[3].integer, position > 0 else { continue }
            guard key == nil, row[1].text.map({ sqlite3_stricmp($0, "INTEGER") == 0 }) == true else { return nil }
            key = place
        }
        if names.isEmpty { return nil }
    }

    /// For a scan of the table.
    var scanned: TableScan.Columns { TableScan.Columns(count: names.count, key: key, withDefault: withDefault) }

    func index(of name: String) -> Int? { names.firstIndex { sqlite3_stricmp($0, name) == 0 } }
}
