import Coding

/// The header of `versions/<n>.delta`. All numbers are little-endian.
///
/// It is followed by the bytes of all runs; the table of runs (`DeltaRun.recordSize` bytes each, in
/// ascending order, not overlapping); the names in `content/` to which only the older state refers;
/// and those to which only the newer state refers (16 bytes each, the UUID of the name).
struct DeltaHeader: Hashable {
    static let magic: [UInt8] = Array("FOLIODLT".utf8)
    static let formatVersion: UInt32 = 1
    static let recordSize = 60
    static let nameSize = 16

    /// The size in bytes of the older state, which the delta creates.
    var size: UInt64
    /// The size in bytes of the newer state, on which the delta is based.
    var newerSize: UInt64
    var runCount: UInt32 = 0
    /// The number of names in `content/` to which only the older state refers.
    var droppedCount: UInt32 = 0
    /// The number of names in `content/` to which only the newer state refers.
    var addedCount: UInt32 = 0
    /// The number of bytes of all runs.
    var dataSize: UInt64 = 0
    /// CRC-32 of the bytes of all runs.
    var dataChecksum: UInt32 = 0
    /// CRC-32 of the tables after the runs.
    var tableChecksum: UInt32 = 0

    var tableSize: Int { Int(runCount) * DeltaRun.recordSize + (Int(droppedCount) + Int(addedCount)) * Self.nameSize }
}

/// A range of the older state that differs from the newer one.
package struct DeltaRun: Hashable {
    static let recordSize = 12
    /// Limits the length to 32 bits.
    static let maximumLength: Int64 = 1 << 30

    /// The offset in the database.
    var offset: Int64
    var length: Int64
    /// The offset of the bytes in the delta's file. It is not stored, because the runs are
    /// consecutive.
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
