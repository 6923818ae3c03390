/// The header of the last record that was read. Records of a table often have the same header as
/// the previous one, and then have their fields at the same offsets.
///
/// Invariants:
/// 1. The masked bytes are the record's whole header, which determines the offsets of its fields;
///    the fields end at `end`.
/// 2. Code that creates or compares a header may read 16 bytes of the record, however short it is.
@usableFromInline struct RecordHeader {
    @usableFromInline let low: UInt64
    @usableFromInline let high: UInt64
    @usableFromInline let lowMask: UInt64
    @usableFromInline let highMask: UInt64
    @usableFromInline let end: Int

    @usableFromInline static var longest: Int { 16 }

    /// A header that matches no record.
    @usableFromInline init() {
        (low, high, lowMask, highMask, end) = (0, 0, 0, 0, .max)
    }

    /// - Parameter size: The size of the header, at most ``longest``.
    @inlinable @inline(__always) init(_ record: UnsafePointer<UInt8>, size: Int, end: Int) {
        let start = UnsafeRawPointer(record)
        lowMask = size >= 8 ? .max : (1 << UInt64(size * 8)) - 1
        highMask = size <= 8 ? 0 : size >= 16 ? .max : (1 << UInt64(size * 8 - 64)) - 1
        low = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)) & lowMask
        high = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) & highMask
        self.end = end
    }

    /// Whether a record of `size` bytes has the same header, and is long enough for its fields.
    @inlinable @inline(__always) func isThat(of record: UnsafePointer<UInt8>, _ size: Int) -> Bool {
        let start = UnsafeRawPointer(record)
        let low = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)),
            high = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        return (low & lowMask ^ self.low) | (high & highMask ^ self.high) == 0 && end <= size
    }
}
