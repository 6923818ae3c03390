public import CSQLite

/// A value that SQLite lends to a function or a sink: valid until the callback returns. Do not
/// store it.
///
/// It is public, with the few members that loops over rows use, only because Swift inlines only
/// public declarations across modules. Only this package can create one.
public struct SQLValue {
    @usableFromInline let pointer: OpaquePointer

    @inlinable init(_ pointer: OpaquePointer) { self.pointer = pointer }

    package var storageClass: StorageClass { StorageClass(rawValue: sqlite3_value_type(pointer)) ?? .null }
    /// `storageClass` as SQLite's type code, for performance-critical loops.
    @inlinable public var typeNumber: Int32 { sqlite3_value_type(pointer) }
    @inlinable package var isNull: Bool { sqlite3_value_type(pointer) == SQLITE_NULL }

    /// The integer value; other types are converted, NULL is 0.
    @inlinable public var int64: Int64 { sqlite3_value_int64(pointer) }

    /// The floating-point value; other types are converted, NULL is 0.
    @inlinable public var double: Double { sqlite3_value_double(pointer) }

    /// The UTF-8 text in SQLite's own memory; empty for NULL. In a foreign file it may be invalid
    /// UTF-8.
    @inlinable public var utf8: UnsafeBufferPointer<UInt8> {
        // Read the text first: it may convert the value and change the count.
        let start = sqlite3_value_text(pointer)
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(pointer)))
    }

    /// The bytes in SQLite's own memory; empty for NULL.
    @inlinable public var bytes: UnsafeRawBufferPointer {
        let start = sqlite3_value_blob(pointer)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(pointer)))
    }

    /// A copy of the text; invalid UTF-8 is replaced.
    package var text: String { String(decoding: utf8, as: UTF8.self) }

    /// A copy of the text; nil for NULL.
    package var optionalText: String? { isNull ? nil : text }

    package var value: SQLiteValue {
        switch storageClass {
        case .integer: .integer(int64)
        case .real: .real(double)
        case .text: .text(text)
        case .blob: .blob([UInt8](bytes))
        case .null: .null
        }
    }
}

/// The arguments of a function, or one row passed to a sink: valid until the callback returns.
public struct SQLValues {
    @usableFromInline let base: UnsafeMutablePointer<OpaquePointer?>
    public let count: Int

    @inlinable init(_ base: UnsafeMutablePointer<OpaquePointer?>, count: Int) {
        self.base = base
        self.count = count
    }

    /// The value at `index`, counted from 0. An index out of range is detected only in debug
    /// builds.
    @inlinable @inline(__always) public subscript(index: Int) -> SQLValue {
        assert(index >= 0 && index < count, "there are only \(count) values")
        // SQLite sets all elements.
        return SQLValue(base[index].unsafelyUnwrapped)
    }
}
