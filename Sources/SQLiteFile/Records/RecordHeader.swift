/// The beginning of a record that was read: records of a table mostly begin as the one before them,
/// and have their fields in the same places then.
///
/// Invariants:
/// 1. The bytes below the masks are the record's whole header, and say where its fields are; these
///    end at `end`.
/// 2. Whoever makes or compares one may read 16 bytes of the record, however short it is.
@usableFromInline struct RecordHeader {
    @usableFromInline let low: UInt64
    @usableFromInline let high: UInt64
    @usableFromInline let lowMask: UInt64
    @usableFromInline let highMask: UInt64
    @usableFromInline let end: Int

    @usableFromInline static var longest: Int { 16 }

    /// What no record begins like.
    @usableFromInline init() {
        (low, high, lowMask, highMask, end) = (0, 0, 0, 0, .max)
    }

    /// - Parameter size: The header's own, at most ``longest``.
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
