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
        let pages = try SnapshotPages.of(self) {
            if !isHeld { try execute("BEGIN") }
            _ = try value("PRAGMA schema_version")
        }
        guard let pages, let known = try TableColumns(table, self),
            let root = try value(
                "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(table)])?.integer
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
        } catch is UnsuitedForScan {
            return nil
        }
    }
}
