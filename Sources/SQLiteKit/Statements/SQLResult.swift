public import CSQLite

/// The result of a function or a row source. If none is set, it is NULL. Use it only before the
/// callback returns.
@usableFromInline package struct SQLResult {
    @usableFromInline let context: OpaquePointer

    @inlinable init(_ context: OpaquePointer) { self.context = context }

    @inlinable package func set(_ value: Int64) { sqlite3_result_int64(context, value) }
    @inlinable package func set(_ value: Double) { sqlite3_result_double(context, value) }
    @inlinable package func setNull() { sqlite3_result_null(context) }

    /// Sets text, which is copied.
    @inlinable package func set(_ value: String) {
        var value = value
        value.withUTF8 { set(utf8: $0) }
    }

    /// Sets UTF-8 text, which is copied.
    @inlinable package func set(utf8: UnsafeBufferPointer<UInt8>) { setText(utf8, folio_sqlite3_transient()) }

    /// Sets a blob, which is copied.
    @inlinable package func set(bytes: UnsafeRawBufferPointer) { setBlob(bytes, folio_sqlite3_transient()) }

    package func set(_ value: SQLiteValue) {
        switch value {
        case .null: setNull()
        case .integer(let value): set(value)
        case .real(let value): set(value)
        case .text(let value): set(value)
        case .blob(let value): value.withUnsafeBytes { set(bytes: $0) }
        }
    }

    /// Ends the statement with an error.
    package func set(error message: String) { sqlite3_result_error(context, message, -1) }

    @inlinable func setText(_ text: UnsafeBufferPointer<UInt8>, _ destructor: sqlite3_destructor_type?) {
        // A nil base address would set NULL, not the empty text.
        guard let base = text.baseAddress, !text.isEmpty else { return sqlite3_result_text(context, "", 0, nil) }
        let characters = UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self)
        sqlite3_result_text64(context, characters, UInt64(text.count), destructor, UInt8(SQLITE_UTF8))
    }

    @inlinable func setBlob(_ blob: UnsafeRawBufferPointer, _ destructor: sqlite3_destructor_type?) {
        guard let base = blob.baseAddress, !blob.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
        sqlite3_result_blob64(context, base, UInt64(blob.count), destructor)
    }
}
