package import SQLiteFile

extension Connection {
    /// A value that a scan supplies for each row.
    package enum ScanColumn: Sendable {
        case named(String)
        /// The rowid.
        case key
        /// The integer 0.
        case zero
    }

    /// Runs `body` with the pages of the committed state, in a read transaction. Returns nil if
    /// they can't be determined.
    ///
    /// Other connections may commit meanwhile. Uncommitted changes of this connection are not in
    /// the pages, so it returns nil within a transaction, except one that only reads a database
    /// without a WAL. It also returns nil for a database in an archive, and while statements are
    /// traced or have a deadline.
    /// - Throws: `SQLiteError`, and what `body` throws.
    package func readingPages<Result>(_ body: (DatabaseState) throws -> Result) throws -> Result? {
        // A WAL may have grown since the transaction began, and its index no longer describes that
        // time.
        let isHeld = isInTransaction && keepsWritersOff && stateBefore?.wal == nil
        guard !isInTransaction || isHeld, recorder == nil, errors.deadline == nil else { return nil }
        defer { if isInTransaction, !isHeld { try? execute("COMMIT") } }
        let pages = try snapshot {
            if !isHeld { try execute("BEGIN") }
            _ = try value("PRAGMA schema_version")
        }
        return try pages.map(body)
    }

    /// Runs `body` with a scan of a table's rows, in a read transaction. Returns nil, possibly
    /// after `body` was run in part, if the rows can't be scanned; use a statement then.
    ///
    /// A scan takes a third of a statement's time. See ``readingPages(_:)`` for when there is none.
    /// - Throws: `SQLiteError`; `.interrupted` as a statement would.
    package func scanning<Result>(_ table: String, _ columns: [ScanColumn], _ body: (TableScan) throws -> Result) throws
        -> Result?
    {
        let result: Result?? = try readingPages { pages in
            guard let root = try root(of: table)?.page else { return nil }
            do {
                // Interrupting the connection ends this statement, and with it the scan.
                return try withStatement(Self.endless) { pulse in
                    let leaves = try TableLeaves(pages, root: root)
                    return try scan(of: table, columns, pages, leaves) { _ = try pulse.step() }.map(body)
                }
            } catch is UnsuitedForScan {
                return nil
            }
        }
        return result ?? nil
    }

    /// A scan of the rows in some leaves of a table; nil for a table whose rows can't be scanned.
    package func scan(
        of table: String, _ columns: [ScanColumn], _ pages: DatabaseState, _ leaves: TableLeaves,
        pulse: @escaping () throws -> Void = {}
    ) throws -> TableScan? {
        guard let known = try TableColumns(table, self) else { return nil }
        var wanted: [TableScan.Wanted] = []
        for column in columns {
            switch column {
            case .zero: wanted.append(.zero)
            case .key: wanted.append(.key)
            case .named(let name):
                guard let index = known.index(of: name) else { return nil }
                wanted.append(index == known.key ? .key : .column(index))
            }
        }
        return TableScan(pages, leaves, columns: known.scanned, wanted: wanted, pulse: pulse)
    }

    /// The root page of a table, and the statement that created it.
    package func root(of table: String) throws -> (page: Int, definition: String)? {
        let rows = try rows(
            "SELECT rootpage, sql FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(table)])
        guard let page = rows.first?[0].integer, let definition = rows.first?[1].text else { return nil }
        return (Int(page), definition)
    }

    /// A statement that remains active until it is reset.
    private static let endless =
        "WITH RECURSIVE pulse(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM pulse) SELECT n FROM pulse"
}
