package import SQLiteFile

extension Connection {
    /// What a scan gives for each row.
    package enum ScanColumn: Sendable {
        case named(String)
        /// The integer 0.
        case zero
    }

    /// Runs `body` with a scan of a table's rows, in a read transaction. Answers nil, after `body`
    /// ran in part or not at all, where the rows can't be had that way: then a statement gives
    /// them.
    ///
    /// It takes a third of a statement's time. Others may commit meanwhile; what this connection
    /// has not committed itself is not seen, so that it answers nil then, as it does within a
    /// transaction, unless that only reads a database without a WAL, in an archive, and while
    /// statements are noted or have a deadline.
    /// - Throws: `SQLiteError`; `.interrupted` as a statement would.
    package func scanning<Result>(_ table: String, _ columns: [ScanColumn], _ body: (TableScan) throws -> Result) throws
        -> Result?
    {
        // A WAL may have grown since the transaction began, and its index tells nothing of that
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
            // What interrupts statements ends this one, and with it the scan.
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
    /// A statement that is on its way as long as it is not reset.
    private static let endless =
        "WITH RECURSIVE pulse(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM pulse) SELECT n FROM pulse"
}
