internal import CSQLite

/// One connection to a database, opened through the guard VFS.
///
/// It has no mutex (`SQLITE_OPEN_NOMUTEX`) and is not Sendable: its owner must serialize all use.
/// Only `interrupter` may be used elsewhere.
///
///     let connection = try Connection(path, .create)
///     try connection.execute("CREATE TABLE t(a)")
///     try connection.transaction { try connection.run("INSERT INTO t VALUES (?)", [.integer(1)]) }
package final class Connection {
    /// The path of the database file as given by the caller.
    package let path: String
    let handle: OpaquePointer
    /// The way of reading if the connection was opened without permission to write; nil for others.
    package internal(set) var reading: Reading?
    var stateBefore: ReadState?
    /// Whether a lock prevents other connections from checkpointing into the main file on close.
    var holdsMainFile = false
    /// Interrupts the running statement from any thread.
    package let interrupter: Interrupter
    private var cache: [String: Statement] = [:]
    /// The greatest number of cached statements. An application usually needs fewer; the limit
    /// bounds the memory if the texts differ every time.
    private static let mostStatements = 256
    private var isOpen = true
    let errors: ErrorSource
    /// Transfers rows to and from this connection's statements.
    package let bulk: BulkExchange
    let logLength = WALLength()
    /// Records the statements while they are traced.
    var recorder: TraceRecorder?
    var waiting: WaitHandler?

    /// Opens a database file. Throws `SQLiteError`. Of its content only the schema is read, by the
    /// first statement.
    package convenience init(_ path: String, _ options: OpenOptions) throws {
        try self.init(path: path, name: path, vfs: GuardVFS.writing, extraFlags: 0, options)
    }

    /// A database in memory. It is discarded when the connection is closed.
    package static func inMemory() throws -> Connection {
        try Connection(
            path: ":memory:", name: ":memory:", vfs: GuardVFS.writing, extraFlags: SQLITE_OPEN_MEMORY, .create)
    }

    /// - Parameter archive: The archive that contains the database; nil for a file. An archived
    ///   database has no shared memory, so it is locked exclusively before anything else is done.
    init(
        path: String, name: String, vfs: GuardVFS, extraFlags: Int32, _ options: OpenOptions,
        archive: ArchivedDatabase? = nil
    ) throws {
        SQLiteLibrary.prepare()
        try vfs.register()
        guard !path.utf8.contains(0) else {
            throw SQLiteError(.cannotOpen, message: "a path can't hold a NUL character", path: path)
        }
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | extraFlags
        switch options.access {
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .readWrite: flags |= SQLITE_OPEN_READWRITE
        case .create: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        }
        if !options.followsLink { flags |= SQLITE_OPEN_NOFOLLOW }
        var opened: OpaquePointer?
        let result = sqlite3_open_v2(name, &opened, flags, vfs.name)
        guard result == SQLITE_OK, let opened else {
            let error = archive?.takeFailure() ?? SQLiteError(result, handle: opened, path: path)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        self.path = path
        errors = ErrorSource(opened, path: path, archive: archive)
        bulk = BulkExchange(opened, errors)
        interrupter = Interrupter(opened)
        sqlite3_extended_result_codes(opened, 1)
        sqlite3_busy_timeout(opened, Int32(clamping: options.busyTimeout))
        if archive != nil { try execute("PRAGMA locking_mode=EXCLUSIVE") }
        try apply(options)
    }

    deinit {
        guard isOpen else { return }
        interrupter.disconnect()
        cache.removeAll()
        logLength.leave(handle)
        sqlite3_close_v2(handle)
    }

    /// Closes the connection; throws `.busy` if statements outside the cache still exist. By
    /// default the last connection to close a WAL checkpoints and removes it.
    package func close() throws {
        guard isOpen else { return }
        cache.removeAll()
        try check(interrupter.disconnecting { sqlite3_close(handle) })
        isOpen = false
    }

    func check(_ result: Int32, sql: String? = nil) throws { try errors.check(result, sql: sql) }

    func error(_ result: Int32, sql: String? = nil) -> SQLiteError { errors.error(result, sql: sql) }

    // MARK: Statements

    /// Runs one or several statements without arguments and ignores their rows.
    package func execute(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
    }

    /// Compiles one statement; text after it is an error.
    package func prepare(_ sql: String, isPersistent: Bool = false) throws -> Statement {
        var statement: OpaquePointer?
        var sql = sql
        let rest = try sql.withUTF8 { bytes -> Int in
            try bytes.withMemoryRebound(to: CChar.self) { characters in
                var tail: UnsafePointer<CChar>?
                let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
                let result = sqlite3_prepare_v3(
                    handle, characters.baseAddress, Int32(clamping: characters.count), flags, &statement, &tail)
                guard result == SQLITE_OK else { throw error(result, sql: String(decoding: bytes, as: UTF8.self)) }
                guard let tail, let base = characters.baseAddress else { return 0 }
                return characters[(tail - base)...].count { !" \n\t\r;".utf8.contains(UInt8(bitPattern: $0)) }
            }
        }
        guard let statement else {
            throw SQLiteError(.misuse, message: "there is no statement to run", sql: sql, path: path)
        }
        let compiled = Statement(statement, errors: errors, sql: sql)
        guard rest == 0 else {
            throw SQLiteError(.misuse, message: "more than one statement; use execute", sql: sql, path: path)
        }
        return compiled
    }

    /// Lends a compiled statement from the cache, without bindings. It is reset and returned to the
    /// cache when `body` ends. Nested use of the same text compiles another statement.
    package func withStatement<Result>(_ sql: String, _ body: (Statement) throws -> Result) throws -> Result {
        let kept = cache[sql].flatMap { $0.isBorrowed ? nil : $0 }
        let statement = try kept ?? prepare(sql, isPersistent: true)
        statement.isBorrowed = true
        defer {
            statement.reset()
            statement.clearBindings()
            statement.isBorrowed = false
            if kept == nil, isOpen {
                if cache.count >= Self.mostStatements { cache.removeAll(keepingCapacity: true) }
                cache[sql] = statement
            }
        }
        return try body(statement)
    }

    /// Runs one cached statement to completion and ignores its rows.
    package func run(_ sql: String, _ arguments: [SQLiteValue] = []) throws {
        try withStatement(sql) { statement in
            try statement.bind(arguments)
            try statement.run()
        }
    }

    /// All rows of one cached statement. Suitable for few rows, because each value is boxed.
    package func rows(_ sql: String, _ arguments: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
        try withStatement(sql) { statement in
            try statement.bind(arguments)
            var rows: [[SQLiteValue]] = []
            while try statement.step() { rows.append((0..<statement.columnCount).map { statement.value(at: $0) }) }
            return rows
        }
    }

    /// The first value of the first row; nil if there is no row.
    package func value(_ sql: String, _ arguments: [SQLiteValue] = []) throws -> SQLiteValue? {
        try withStatement(sql) { statement in
            try statement.bind(arguments)
            return try statement.step() ? statement.value(at: 0) : nil
        }
    }

    /// Frees the memory of cached pages that are not in use.
    package func releaseMemory() { sqlite3_db_release_memory(handle) }

    /// Whether a transaction has uncommitted changes.
    package var isWriting: Bool { sqlite3_txn_state(handle, nil) == SQLITE_TXN_WRITE }

    /// The number of cached statements.
    package var keptStatements: Int { cache.count }

    /// Clears the statement cache, so that the schema can be changed.
    package func clearCache() { cache.removeAll() }

    // MARK: State

    /// Rows that the last statement changed, not counting triggers.
    package var changes: Int { Int(sqlite3_changes64(handle)) }
    /// Rows changed since the connection was opened.
    package var totalChanges: Int { Int(sqlite3_total_changes64(handle)) }
    /// The rowid of the last inserted row. It can be set, to find out whether a statement inserts
    /// any.
    package var lastInsertRowID: Int64 {
        get { sqlite3_last_insert_rowid(handle) }
        set { sqlite3_set_last_insert_rowid(handle, newValue) }
    }
    package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }
    /// The greatest number of arguments of one SQL function, and therefore of columns in a row that
    /// is passed to a sink.
    package var maximumFunctionArguments: Int { Int(sqlite3_limit(handle, SQLITE_LIMIT_FUNCTION_ARG, -1)) }
}
