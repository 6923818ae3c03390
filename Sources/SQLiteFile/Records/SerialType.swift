/// The type codes of a record's fields in SQLite's record format.
@usableFromInline enum SerialType {
    @inlinable static var null: UInt64 { 0 }
    @inlinable static var real: UInt64 { 7 }
    /// Text has odd types from 13, blobs have even ones from 12.
    @inlinable static var firstBlob: UInt64 { 12 }

    /// Whether a record of `size` bytes may have a field of this type: types 10 and 11 do not occur
    /// in files, and no field is longer than the record.
    @inlinable static func isValid(_ type: UInt64, inRecordOf size: Int) -> Bool {
        type <= 2 * UInt64(size) + 13 && type != 10 && type != 11
    }

    /// The length of a field in bytes.
    @inlinable @inline(__always) static func length(_ type: UInt64) -> Int {
        if type >= firstBlob { return Int((type - firstBlob) >> 1) }
        // 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 bytes.
        return Int(truncatingIfNeeded: 0x0088_6432_10 >> (type * 4)) & 15
    }

    /// The value of an integer, 0 for NULL; nil for another type.
    @inlinable @inline(__always) static func integer(_ type: UInt32, _ start: UnsafeRawPointer) -> Int64? {
        switch type {
        case 1: Int64(start.load(as: Int8.self))
        case 2: Int64(Int16(bigEndian: start.loadUnaligned(as: Int16.self)))
        case 3:
            Int64(start.load(as: Int8.self)) << 16
                | Int64(UInt16(bigEndian: start.loadUnaligned(fromByteOffset: 1, as: UInt16.self)))
        case 4: Int64(Int32(bigEndian: start.loadUnaligned(as: Int32.self)))
        case 5:
            Int64(Int16(bigEndian: start.loadUnaligned(as: Int16.self))) << 32
                | Int64(UInt32(bigEndian: start.loadUnaligned(fromByteOffset: 2, as: UInt32.self)))
        case 6: Int64(bigEndian: start.loadUnaligned(as: Int64.self))
        case 0, 8: 0
        case 9: 1
        default: nil
        }
    }

    /// The value of a floating-point number. SQLite treats NaN as NULL.
    @inlinable @inline(__always) static func real(_ start: UnsafeRawPointer) -> Swift.Double {
        Swift.Double(bitPattern: UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)))
    }
}
