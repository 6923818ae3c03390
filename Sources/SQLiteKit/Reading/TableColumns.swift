internal import CSQLite
internal import SQLiteFile

/// The columns of a table as stored in its records.
struct TableColumns {
    /// In record order.
    private(set) var names: [String] = []
    /// The column that is the rowid.
    private(set) var key: Int?
    /// The columns with a default other than NULL.
    private(set) var withDefault: Set<Int> = []

    /// Nil if it is not a table with rowids, or has columns that are not stored in records.
    init?(_ table: String, _ connection: Connection) throws {
        // Name, type, default, position in the primary key, and whether it is hidden or generated.
        let rows = try connection.rows(
            "SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?)", [.text(table)])
        // A primary key of several columns is an index beside the rows.
        let isKeyComposite = rows.count { $0[3].integer ?? 0 > 0 } > 1
        for (place, row) in rows.enumerated() {
            guard let name = row[0].text, row[4].integer == 0 else { return nil }
            names.append(name)
            if row[2] != .null { withDefault.insert(place) }
            guard let position = row[3].integer, position > 0, !isKeyComposite else { continue }
            guard row[1].text.map({ sqlite3_stricmp($0, "INTEGER") == 0 }) == true else { return nil }
            key = place
        }
        if names.isEmpty { return nil }
    }

    /// The columns in the form that a scan of the table needs.
    var scanned: TableScan.Columns { TableScan.Columns(count: names.count, key: key, withDefault: withDefault) }

    func index(of name: String) -> Int? { names.firstIndex { sqlite3_stricmp($0, name) == 0 } }
}
