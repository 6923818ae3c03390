import Coding

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
        guard bytes.littleEndian(at: 8, as: UInt32.self) == Self.formatVersion,
            bytes.littleEndian(at: Self.checksummedSize, as: UInt32.self)
                == Self.checksum(Array(bytes[..<Self.checksummedSize]))
        else { return nil }
        size = bytes.littleEndian(at: 12, as: UInt64.self)
        newerSize = bytes.littleEndian(at: 20, as: UInt64.self)
        runCount = bytes.littleEndian(at: 28, as: UInt32.self)
        droppedCount = bytes.littleEndian(at: 32, as: UInt32.self)
        addedCount = bytes.littleEndian(at: 36, as: UInt32.self)
        dataSize = bytes.littleEndian(at: 40, as: UInt64.self)
        dataChecksum = bytes.littleEndian(at: 48, as: UInt32.self)
        tableChecksum = bytes.littleEndian(at: 52, as: UInt32.self)
    }

    package var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.formatVersion)
        bytes.append(littleEndian: size)
        bytes.append(littleEndian: newerSize)
        for count in [runCount, droppedCount, addedCount] { bytes.append(littleEndian: count) }
        bytes.append(littleEndian: dataSize)
        bytes.append(littleEndian: dataChecksum)
        bytes.append(littleEndian: tableChecksum)
        bytes.append(littleEndian: Self.checksum(bytes))
        return bytes
    }
}
