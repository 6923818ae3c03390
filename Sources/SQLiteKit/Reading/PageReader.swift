internal import CSQLite
package import SQLiteFile

/// Reads a connection's database by its pages, past SQLite's interpreter and page cache.
///
///     let count = try connection.pages.scanning("t", [.key]) { scan in … }
package struct PageReader {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// A value that a scan supplies for each row.
    package enum Column: Sendable {
        case named(String)
        /// The rowid.
        case key
        /// The integer 0.
        case zero
    }

    /// A statement that remains active until it is reset.
    private static let endless =
        "WITH RECURSIVE pulse(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM pulse) SELECT n FROM pulse"

    /// The greatest number of WAL frames to examine. With more frames a SQLite statement is faster.
    private static let mostFrames = 1 << 16

    /// Runs `body` with the pages of the committed state, in a read transaction. Returns nil if
    /// they can't be determined.
    ///
    /// Other connections may commit meanwhile. Uncommitted changes of this connection are not in
    /// the pages, so it returns nil within a transaction, except one that only reads a database
    /// without a WAL. It also returns nil for a database in an archive, and while statements are
    /// traced or have a deadline.
    /// - Throws: `SQLiteError`, and what `body` throws.
    package func reading<Result>(_ body: (DatabaseState) throws -> Result) throws -> Result? {
        // A WAL may have grown since the transaction began, and its index no longer describes that
        // time.
        let isHeld = connection.isInTransaction && connection.keepsWritersOff && connection.stateBefore?.wal == nil
        guard !connection.isInTransaction || isHeld, connection.recorder == nil, connection.errors.deadline == nil
        else { return nil }
        defer { if connection.isInTransaction, !isHeld { try? connection.execute("COMMIT") } }
        let pages = try snapshot {
            if !isHeld { try connection.execute("BEGIN") }
            _ = try connection.value("PRAGMA schema_version")
        }
        return try pages.map(body)
    }

    /// Runs `body` with a scan of a table's rows, in a read transaction. Returns nil, possibly
    /// after `body` was run in part, if the rows can't be scanned; use a statement then.
    ///
    /// A scan takes a third of a statement's time. See ``reading(_:)`` for when there is none.
    /// - Throws: `SQLiteError`; `.interrupted` as a statement would.
    package func scanning<Result>(_ table: String, _ columns: [Column], _ body: (TableScan) throws -> Result) throws
        -> Result?
    {
        let result: Result?? = try reading { pages in
            guard let root = try root(of: table)?.page else { return nil }
            do {
                // Interrupting the connection ends this statement, and with it the scan.
                return try connection.withStatement(Self.endless) { pulse in
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
        of table: String, _ columns: [Column], _ pages: DatabaseState, _ leaves: TableLeaves,
        pulse: @escaping () throws -> Void = {}
    ) throws -> TableScan? {
        guard let known = try TableColumns(table, connection) else { return nil }
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
        let rows = try connection.rows(
            "SELECT rootpage, sql FROM sqlite_schema WHERE type = 'table' AND name = ?", [.text(table)])
        guard let page = rows.first?[0].integer, let definition = rows.first?[1].text else { return nil }
        return (Int(page), definition)
    }

    // MARK: Pages

    /// The database as a read transaction of this connection sees it, for reading without SQLite's
    /// page cache while the transaction is open. `begin` starts the transaction with its first read
    /// of the file. Nil if the pages can't be determined reliably.
    ///
    /// The transaction's locks protect everything that is read here: the pages of the main file
    /// that are not in the snapshot's part of the WAL, and those WAL frames; without a WAL, the
    /// whole main file. All reads use SQLite's own open files: a separate descriptor would drop the
    /// locks of the process when it is closed.
    private func snapshot(begin: () throws -> Void) throws -> DatabaseState? {
        guard let main = try connection.rawFile(SQLITE_FCNTL_FILE_POINTER), !main.isArchived else { return nil }
        var index: SharedIndex?
        if connection.reading != .immutable, try connection.journalMode() == .wal {
            guard connection.reading == nil, let shared = try SharedIndex(connection) else { return nil }
            index = shared
        }
        let before = index?.header
        try begin()
        // Read the number of copied frames before validating the header. A writer that restarts the
        // WAL writes the header first, then sets the number to 0; so if the header is unchanged,
        // the number belongs to this run of the WAL. If the number is less than all frames, it was
        // so when the transaction began: the transaction then has a read mark in the WAL, which
        // protects its frames. If it is all frames, the main file has them, and no checkpoint can
        // go further during the transaction.
        let copied = index?.copiedFrames ?? 0
        // If there was no commit meanwhile, the header describes the snapshot.
        if let index, before == nil || index.header != before { return nil }
        guard let pageSize = try connection.value("PRAGMA page_size")?.integer.map({ Int($0) }),
            let count = try connection.value("PRAGMA page_count")?.integer
        else { return nil }
        let size = count * Int64(pageSize)
        // If all frames are in the main file, SQLite reads only the main file, and only excludes
        // writers of the main file.
        guard let index, let before, before.frames > copied else {
            return DatabaseState(size: size, pageSize: pageSize, main: main)
        }
        // A damaged commit may specify more pages than exist. Do not allocate memory for them.
        guard
            count <= DatabaseState.mostPages(mainSize: try main.size(), pageSize: pageSize, frames: before.frames),
            before.frames <= Self.mostFrames, before.pageSize == pageSize,
            let log = try connection.rawFile(SQLITE_FCNTL_JOURNAL_POINTER),
            let frames = index.index.frameMap(upTo: before.frames, pageCount: Int(count))
        else { return nil }
        return DatabaseState(size: size, pageSize: pageSize, main: main, log: log, frames: frames)
    }
}

extension Connection {
    /// Reads the database by its pages.
    package var pages: PageReader { PageReader(self) }
}

/// The wal-index of a connection in WAL mode, in memory that SQLite shares between processes.
private struct SharedIndex {
    let index: WALIndex
    private let main: RawFile

    /// Nil if the index is in SQLite's private memory.
    init?(_ connection: Connection) throws {
        guard try connection.value("PRAGMA locking_mode")?.text == "normal" else { return nil }
        // The first read of the file opens the WAL and its index.
        _ = try connection.value("PRAGMA schema_version")
        guard let main = try connection.rawFile(SQLITE_FCNTL_FILE_POINTER), let index = main.sharedIndex else {
            return nil
        }
        self.index = index
        self.main = main
    }

    /// Nil while another connection is writing the header, or if it was not initialized yet.
    var header: WALIndex.Header? {
        main.waitForSharedIndex()
        return index.header
    }

    /// The number of frames that have been copied into the main file.
    var copiedFrames: Int {
        main.waitForSharedIndex()
        return index.copiedFrames
    }
}
