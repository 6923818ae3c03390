internal import CSQLite

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
        let rows = try connection.rows("SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?)", [.text(table)])
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

    func index(of name: String) -> Int? { names.firstIndex { sqlite3_stricmp($0, name) == 0 } }
}

extension Connection {
    /// What a scan gives for each row.
    package enum ScanColumn: Sendable {
        case named(String)
        /// The integer 0.
        case zero
    }

    /// Runs `body` with a scan of a table's rows, in a read transaction. Answers nil, after `body` ran in part or not at all, where the rows can't be had that way: then a statement
    /// gives them.
    ///
    /// It takes a third of a statement's time. Others may commit meanwhile; what this connection has not committed itself is not seen, so that it answers nil then, as it does within a
    /// transaction, in an archive, and while statements are noted or have a deadline.
    /// - Throws: `SQLiteError`; `.interrupted` as a statement would.
    package func scanning<Result>(_ table: String, _ columns: [ScanColumn], _ body: (TableScan) throws -> Result) throws -> Result? {
        guard !isInTransaction, recorder == nil, errors.deadline == nil else { return nil }
        defer { if isInTransaction { try? execute("COMMIT") } }
        let pages = try SnapshotPages.of(self) {
            try execute("BEGIN")
            _ = try value("PRAGMA schema_version")
        }
        guard let pages, let known = try TableColumns(table, self),
            let root = try value("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(table)])?.integer
        else { return nil }
        var places: [Int32] = []
        for column in columns {
            switch column {
            case .zero: places.append(Int32(known.names.count + 1))
            case .named(let name):
                guard let index = known.index(of: name) else { return nil }
                places.append(Int32(index == known.key ? known.names.count : index))
            }
        }
        do {
            return try withStatement(TableScan.pulseText) { pulse in
                try body(TableScan(pages, root: Int(root), columns: known, places: places, pulse: pulse))
            }
        } catch is TableScan.Unsuited {
            return nil
        }
    }
}
