/// The beginning of `versions/<n>.delta`. All numbers are little-endian.
///
/// After it come the bytes of all runs, one after the other; the table of runs
/// (`DeltaRun.recordSize` bytes each, ascending, without overlap); the names in `content/` that the
/// older state refers to and the newer does not; those that the newer refers to and the older does
/// not (16 bytes each, the UUID that the name spells).
struct DeltaHeader: Hashable {
    static let magic: [UInt8] = Array("FOLIODLT".utf8)
    static let formatVersion: UInt32 = 1
    static let recordSize = 60
    static let nameSize = 16

    /// The size in bytes of the older state, which the delta makes.
    var size: UInt64
    /// The size in bytes of the newer state, which it is made from.
    var newerSize: UInt64
    var runCount: UInt32 = 0
    /// Names in `content/` of the older state alone.
    var droppedCount: UInt32 = 0
    /// Names in `content/` of the newer state alone.
    var addedCount: UInt32 = 0
    /// Bytes of all runs.
    var dataSize: UInt64 = 0
    /// CRC-32 of the bytes of all runs.
    var dataChecksum: UInt32 = 0
    /// CRC-32 of the tables behind them.
    var tableChecksum: UInt32 = 0

    var tableSize: Int { Int(runCount) * DeltaRun.recordSize + (Int(droppedCount) + Int(addedCount)) * Self.nameSize }
}

/// Bytes of the older state that differ from the newer one's at the same place.
package struct DeltaRun: Hashable {
    static let recordSize = 12
    /// So that a length fits its 32 bits.
    static let maximumLength: Int64 = 1 << 30

    /// Where in the database.
    var offset: Int64
    var length: Int64
    /// Where the bytes stand in the delta's file. Not in the record: the runs follow one another.
    package var place: Int64

    package var end: Int64 { offset + length }
}

extension DeltaHeader {
    private static let checksummedSize = recordSize - 4

    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.recordSize, bytes.starts(with: Self.magic) else { return nil }
        func number<Number: FixedWidthInteger>(_ place: Int, _: Number.Type) -> Number {
            Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: Number.self) })
        }
        guard number(8, UInt32.self) == Self.formatVersion,
            number(Self.checksummedSize, UInt32.self) == Self.checksum(Array(bytes[..<Self.checksummedSize]))
        else { return nil }
        size = number(12, UInt64.self)
        newerSize = number(20, UInt64.self)
        runCount = number(28, UInt32.self)
        droppedCount = number(32, UInt32.self)
        addedCount = number(36, UInt32.self)
        dataSize = number(40, UInt64.self)
        dataChecksum = number(48, UInt32.self)
        tableChecksum = number(52, UInt32.self)
    }

    package var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.put(Self.formatVersion)
        bytes.put(size)
        bytes.put(newerSize)
        for count in [runCount, droppedCount, addedCount] { bytes.put(count) }
        bytes.put(dataSize)
        bytes.put(dataChecksum)
        bytes.put(tableChecksum)
        bytes.put(Self.checksum(bytes))
        return bytes
    }
}

extension [UInt8] {
    mutating func put(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
