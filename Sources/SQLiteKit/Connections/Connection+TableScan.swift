package import SQLiteFile

extension Connection {
    /// A value that a scan supplies for each row.
    package enum ScanColumn: Sendable {
        case named(String)
        /// The integer 0.
        case zero
    }

    /// Runs `body` with a scan of a table's rows, in a read transaction. Returns nil, possibly
    /// after `body` was run in part, if the rows can't be scanned; use a statement then.
    ///
    /// A scan takes a third of a statement's time. Other connections may commit meanwhile.
    /// Uncommitted changes of this connection are not visible to a scan, so it returns nil within a
    /// transaction, except one that only reads a database without a WAL. It also returns nil for a
    /// database in an archive, and while statements are traced or have a deadline.
    /// - Throws: `SQLiteError`; `.interrupted` as a statement would.
    package func scanning<Result>(_ table: String, _ columns: [ScanColumn], _ body: (TableScan) throws -> Result) throws
        -> Result?
    {
        // A WAL may have grown since the transaction began, and its index no longer describes that
        // time.
        let isHeld = isInTransaction && keepsWritersOff && stateBefore?.wal == nil
        guard !isInTransaction || isHeld, recorder == nil, errors.deadline == nil else { return nil }
        defer { if isInTransaction, !isHeld { try? execute("COMMIT") } }
        let pages = try snapshot {
            if !isHeld { try execute("BEGIN") }
            _ = try value("PRAGMA schema_version")
        }
        guard let pages, let known = try TableColumns(table, self),
            let root = try value(
                "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(table)])?.integer
        else { return nil }
        var wanted: [TableScan.Wanted] = []
        for column in columns {
            switch column {
            case .zero: wanted.append(.zero)
            case .named(let name):
                guard let index = known.index(of: name) else { return nil }
                wanted.append(index == known.key ? .key : .column(index))
            }
        }
        do {
            // Interrupting the connection ends this statement, and with it the scan.
            return try withStatement(Self.endless) { pulse in
                let scan = try TableScan(pages, root: Int(root), columns: known.scanned, wanted: wanted) {
                    _ = try pulse.step()
                }
                return try body(scan)
            }
        } catch is UnsuitedForScan {
            return nil
        }
    }
    /// A statement that remains active until it is reset.
    private static let endless =
        "WITH RECURSIVE pulse(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM pulse) SELECT n FROM pulse"
}
