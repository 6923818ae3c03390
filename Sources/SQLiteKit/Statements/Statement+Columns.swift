public import CSQLite

extension Statement {
    /// The name of a column of the result.
    package func columnName(_ index: Int) -> String {
        sqlite3_column_name(handle, Int32(truncatingIfNeeded: index)).map { String(cString: $0) } ?? ""
    }

    @inlinable package func storageClass(at index: Int) -> StorageClass {
        StorageClass(rawValue: sqlite3_column_type(handle, Int32(truncatingIfNeeded: index))) ?? .null
    }

    /// `storageClass(at:)` as SQLite's type code, for performance-critical loops.
    @inlinable package func typeNumber(at index: Int) -> Int32 {
        sqlite3_column_type(handle, Int32(truncatingIfNeeded: index))
    }

    @inlinable package func isNull(at index: Int) -> Bool {
        sqlite3_column_type(handle, Int32(truncatingIfNeeded: index)) == SQLITE_NULL
    }

    /// The column as an integer; other types are converted, NULL is 0.
    @inlinable package func int64(at index: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(truncatingIfNeeded: index))
    }

    /// The column as a floating-point number; other types are converted, NULL is 0.
    @inlinable package func double(at index: Int) -> Double {
        sqlite3_column_double(handle, Int32(truncatingIfNeeded: index))
    }

    /// The column as text; empty for NULL. Invalid UTF-8 is replaced.
    package func text(at index: Int) -> String { withText(at: index) { String(decoding: $0, as: UTF8.self) } }

    /// The column as text; nil for NULL.
    package func optionalText(at index: Int) -> String? { isNull(at: index) ? nil : text(at: index) }

    /// The column as bytes; empty for NULL.
    package func bytes(at index: Int) -> [UInt8] { withBlob(at: index) { [UInt8]($0) } }

    /// Lends the column's text to `body`.
    @inlinable package func withText<Result>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result)
        rethrows -> Result
    {
        let index = Int32(truncatingIfNeeded: index)
        let start = sqlite3_column_text(handle, index)
        return try body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }

    /// Lends the column's bytes to `body`.
    @inlinable package func withBlob<Result>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        let index = Int32(truncatingIfNeeded: index)
        let start = sqlite3_column_blob(handle, index)
        return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }

    package func value(at index: Int) -> SQLiteValue {
        switch storageClass(at: index) {
        case .integer: .integer(int64(at: index))
        case .real: .real(double(at: index))
        case .text: .text(text(at: index))
        case .blob: .blob(bytes(at: index))
        case .null: .null
        }
    }
}
