public import CSQLite

/// A compiled statement. Columns are counted from 0, arguments from 1, as in SQLite.
///
/// It belongs to its connection and must be used where that is used. Text and blobs lent by
/// `withText` and `withBlob` are in SQLite's own memory, and invalid after the next step.
@usableFromInline package final class Statement {
    @usableFromInline let handle: OpaquePointer
    private let errors: ErrorSource
    package let sql: String
    /// The number of columns in a row; 0 for a statement without rows.
    package let columnCount: Int
    /// Whether the statement is lent from the connection's cache.
    var isBorrowed = false

    init(_ handle: OpaquePointer, errors: ErrorSource, sql: String) {
        self.handle = handle
        self.errors = errors
        self.sql = sql
        columnCount = Int(sqlite3_column_count(handle))
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Execution

    /// Moves to the next row; returns false if there is none. After an error the statement is
    /// reset.
    @inlinable package func step() throws -> Bool {
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw failure(result)
    }

    /// Runs to completion, ignores rows, and resets the statement; arguments stay bound.
    @inlinable package func run() throws {
        while try step() {}
        sqlite3_reset(handle)
    }

    /// Resets the statement for the next run; arguments stay bound.
    @inlinable package func reset() { sqlite3_reset(handle) }

    package func clearBindings() { sqlite3_clear_bindings(handle) }

    @usableFromInline func failure(_ result: Int32) -> any Error {
        let error = errors.error(result, sql: sql)
        sqlite3_reset(handle)
        return error
    }

    /// Whether the statement does not change the database.
    package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

    /// Whether SQLite sorts all rows before it returns the first one, because there is no index in
    /// that order. It queries the plan, so do not call it repeatedly.
    package func sortsBeforeFirstRow() throws -> Bool {
        var plan: OpaquePointer?
        let result = sqlite3_prepare_v2(sqlite3_db_handle(handle), "EXPLAIN QUERY PLAN " + sql, -1, &plan, nil)
        guard result == SQLITE_OK else { throw errors.error(result, sql: sql) }
        defer { sqlite3_finalize(plan) }
        while sqlite3_step(plan) == SQLITE_ROW {
            guard let detail = sqlite3_column_text(plan, 3) else { continue }
            if String(cString: detail) == "USE TEMP B-TREE FOR ORDER BY" { return true }
        }
        return false
    }

    // MARK: Arguments

    package var argumentCount: Int { Int(sqlite3_bind_parameter_count(handle)) }

    @inlinable package func bind(_ value: Int64, at index: Int) throws {
        try checkBinding(sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), value))
    }

    @inlinable package func bind(_ value: Double, at index: Int) throws {
        try checkBinding(sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), value))
    }

    @inlinable package func bindNull(at index: Int) throws {
        try checkBinding(sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index)))
    }

    /// Binds text, which is copied.
    @inlinable package func bind(_ value: String, at index: Int) throws {
        var value = value
        try value.withUTF8 { try bind(text: $0, at: index) }
    }

    /// Binds UTF-8 text, which is copied.
    @inlinable package func bind(text: UnsafeBufferPointer<UInt8>, at index: Int) throws {
        try checkBinding(bindText(text, index, folio_sqlite3_transient()))
    }

    /// Binds a blob, which is copied.
    @inlinable package func bind(blob: UnsafeRawBufferPointer, at index: Int) throws {
        try checkBinding(bindBlob(blob, index, folio_sqlite3_transient()))
    }

    package func bind(_ value: [UInt8], at index: Int) throws {
        try value.withUnsafeBytes { try bind(blob: $0, at: index) }
    }

    /// Binds UTF-8 text without copying: its memory must remain valid until the next binding at
    /// this index or `clearBindings`.
    @inlinable package func bindBorrowed(text: UnsafeBufferPointer<UInt8>, at index: Int) throws {
        try checkBinding(bindText(text, index, nil))
    }

    /// Binds a blob without copying: its memory must remain valid until the next binding at this
    /// index or `clearBindings`.
    @inlinable package func bindBorrowed(blob: UnsafeRawBufferPointer, at index: Int) throws {
        try checkBinding(bindBlob(blob, index, nil))
    }

    package func bind(_ value: SQLiteValue, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let value): try bind(value, at: index)
        case .real(let value): try bind(value, at: index)
        case .text(let value): try bind(value, at: index)
        case .blob(let value): try bind(value, at: index)
        }
    }

    /// Binds all arguments, starting with the first.
    package func bind(_ values: [SQLiteValue]) throws {
        for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
    }

    @usableFromInline func bindText(
        _ text: UnsafeBufferPointer<UInt8>, _ index: Int, _ destructor: sqlite3_destructor_type?
    ) -> Int32 {
        // A nil base address would bind NULL, not the empty text.
        guard let base = text.baseAddress, !text.isEmpty else {
            return sqlite3_bind_text(handle, Int32(truncatingIfNeeded: index), "", 0, nil)
        }
        return base.withMemoryRebound(to: CChar.self, capacity: text.count) {
            sqlite3_bind_text64(
                handle, Int32(truncatingIfNeeded: index), $0, UInt64(text.count), destructor, UInt8(SQLITE_UTF8))
        }
    }

    @usableFromInline func bindBlob(
        _ blob: UnsafeRawBufferPointer, _ index: Int, _ destructor: sqlite3_destructor_type?
    ) -> Int32 {
        guard let base = blob.baseAddress, !blob.isEmpty else {
            return sqlite3_bind_zeroblob(handle, Int32(truncatingIfNeeded: index), 0)
        }
        return sqlite3_bind_blob64(handle, Int32(truncatingIfNeeded: index), base, UInt64(blob.count), destructor)
    }

    @inlinable func checkBinding(_ result: Int32) throws {
        if result != SQLITE_OK { throw failure(result) }
    }
}
