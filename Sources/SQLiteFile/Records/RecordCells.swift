/// One row of a table, read directly from its page: valid until the scan continues. Do not store
/// it. The fields are those of SQLite's record format.
///
/// It is public, with its members, only because Swift inlines only public declarations across
/// modules. Only this package can create one.
public struct RecordCells {
    /// A column's value: its serial type, and its offset in the record.
    @usableFromInline struct Field {
        @usableFromInline var type: UInt32
        @usableFromInline var start: UInt32

        @inlinable init(type: UInt32, start: UInt32) {
            self.type = type
            self.start = start
        }
    }

    @usableFromInline let record: UnsafePointer<UInt8>
    /// By the index of the table's column.
    @usableFromInline let fields: UnsafePointer<Field>
    /// The indexes of the table's columns by those of the requested columns.
    @usableFromInline let places: UnsafePointer<Int32>
    @usableFromInline let key: Int64
    /// Set if SQLite would convert a value.
    @usableFromInline let needsConversion: UnsafeMutablePointer<Bool>

    @inlinable @inline(__always) init(
        record: UnsafePointer<UInt8>, fields: UnsafePointer<Field>, places: UnsafePointer<Int32>, key: Int64,
        needsConversion: UnsafeMutablePointer<Bool>
    ) {
        self.record = record
        self.fields = fields
        self.places = places
        self.key = key
        self.needsConversion = needsConversion
    }

    /// Serial types that do not occur in records. `rowNumber` represents the rowid.
    @usableFromInline static var rowNumber: UInt32 { 10 }
    @usableFromInline static var zero: UInt32 { 8 }

    @inlinable @inline(__always) func field(_ index: Int) -> Field { fields[Int(places[index])] }

    /// The type code of SQLite.
    @inlinable @inline(__always) public func typeNumber(at index: Int) -> Int32 {
        let type = field(index).type
        if type >= 12 { return type & 1 == 0 ? 4 : 3 }
        return type == 0 ? 5 : type == 7 ? 2 : 1
    }

    /// The integer value, 0 for NULL. For text or a blob, which SQLite would convert, it is 0 too,
    /// and the scan fails.
    @inlinable @inline(__always) public func int64(at index: Int) -> Int64 {
        let field = field(index)
        return field.type == Self.rowNumber ? key : integer(field)
    }

    @inlinable @inline(__always) func integer(_ field: Field) -> Int64 {
        if let value = SerialType.integer(field.type, UnsafeRawPointer(record + Int(field.start))) { return value }
        guard field.type == 7 else {
            needsConversion.pointee = true
            return 0
        }
        let number = real(field)
        return Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }

    /// The floating-point value, 0 for NULL. For text or a blob, which SQLite would convert, it is
    /// 0 too, and the scan fails.
    @inlinable @inline(__always) public func double(at index: Int) -> Swift.Double {
        let field = field(index)
        return field.type == 7 ? real(field) : Swift.Double(int64(at: index))
    }

    @inlinable @inline(__always) func real(_ field: Field) -> Swift.Double {
        let number = SerialType.real(UnsafeRawPointer(record + Int(field.start)))
        // SQLite treats NaN as NULL.
        if number.isNaN { needsConversion.pointee = true }
        return number
    }

    /// The bytes of text or a blob, empty for NULL. For a number, which SQLite would convert, they
    /// are empty too, and the scan fails.
    @inlinable @inline(__always) func bytes(at index: Int) -> UnsafeBufferPointer<UInt8> {
        let field = field(index)
        guard field.type >= 12 else {
            if field.type != 0 { needsConversion.pointee = true }
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        return UnsafeBufferPointer(start: record + Int(field.start), count: Int((field.type - 12) >> 1))
    }

    @inlinable @inline(__always) public func withText<Result>(
        at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
        try body(bytes(at: index))
    }

    @inlinable @inline(__always) public func withBlob<Result>(
        at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try body(UnsafeRawBufferPointer(bytes(at: index)))
    }
}
