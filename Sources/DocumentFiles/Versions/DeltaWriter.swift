internal import Coding
internal import FileSystem
internal import Foundation

/// Writes a reverse delta into a new file.
///
///     var writer = try DeltaWriter(path, size: older, newerSize: newer)
///     try writer.add(offset, bytes)
///     let size = try writer.finish(references)
struct DeltaWriter {
    private let file: File
    private var header: DeltaHeader
    private var runs: [DeltaRun] = []
    private var checksum = CRC32()
    private var buffer: [UInt8] = []

    private static let bufferSize = 1 << 16

    /// Creates the file, which must not exist.
    init(_ path: String, size: Int64, newerSize: Int64) throws {
        file = try File(path, .create())
        header = DeltaHeader(size: UInt64(size), newerSize: UInt64(newerSize))
        // The header is written last; until then the file is not a valid delta.
        buffer = [UInt8](repeating: 0, count: DeltaHeader.recordSize)
    }

    /// Adds bytes of the older state, at an offset after those that were added before.
    mutating func add(_ offset: Int64, _ bytes: UnsafeRawBufferPointer) throws {
        guard !bytes.isEmpty else { return }
        let length = Int64(bytes.count)
        if let last = runs.last, last.end == offset, last.length + length <= DeltaRun.maximumLength {
            runs[runs.count - 1].length += length
        } else {
            runs.append(DeltaRun(offset: offset, length: length, place: 0))
        }
        header.dataSize += UInt64(length)
        checksum.update(bytes)
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Completes the file, makes its content durable, and returns its size.
    mutating func finish(_ references: ContentReferences) throws -> Int64 {
        defer { file.close() }
        var table: [UInt8] = []
        table.reserveCapacity(runs.count * DeltaRun.recordSize)
        for run in runs {
            table.append(littleEndian: UInt64(run.offset))
            table.append(littleEndian: UInt32(run.length))
        }
        for names in [references.dropped, references.added] {
            for name in names.sorted(by: { $0.uuidString < $1.uuidString }) {
                withUnsafeBytes(of: name.uuid) { table.append(contentsOf: $0) }
            }
        }
        header.runCount = UInt32(runs.count)
        header.droppedCount = UInt32(references.dropped.count)
        header.addedCount = UInt32(references.added.count)
        header.dataChecksum = checksum.value
        header.tableChecksum = CRC32.checksum(table)
        let size = Int64(DeltaHeader.recordSize) + Int64(header.dataSize) + Int64(table.count)
        buffer.append(contentsOf: table)
        try flush()
        try header.bytes.withUnsafeBytes { try file.write($0, at: 0) }
        try file.synchronize()
        return size
    }

    private mutating func flush() throws {
        try file.append(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Finds the differences of two pages.
enum PageDifference {
    /// The number of equal bytes between two differences up to which one run is shorter than two.
    private static let gap = DeltaRun.recordSize + 4

    /// Calls `body` with each range of `older` that differs from `newer`, in ascending order. Bytes
    /// beyond the end of `newer` differ.
    static func forEach(
        _ older: UnsafeRawBufferPointer, _ newer: UnsafeRawBufferPointer, _ body: (Range<Int>) throws -> Void
    ) rethrows {
        let common = min(older.count, newer.count)
        var place = 0
        // The bounds of the current range; `start` is -1 if there is none.
        var start = -1
        var end = 0
        func note(_ first: Int, _ last: Int) throws {
            if start < 0 {
                start = first
            } else if first - end > gap {
                try body(start..<end)
                start = first
            }
            end = last + 1
        }
        // Differences within a word are closer together than a gap, so only the first and the last
        // one matter.
        while place + 8 <= common {
            let difference =
                UInt64(
                    littleEndian: older.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                        ^ newer.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            if difference != 0 {
                try note(place + difference.trailingZeroBitCount / 8, place + 7 - difference.leadingZeroBitCount / 8)
            }
            place += 8
        }
        while place < common {
            if older[place] != newer[place] { try note(place, place) }
            place += 1
        }
        if older.count > common {
            if start >= 0, common - end > gap {
                try body(start..<end)
                start = common
            } else if start < 0 {
                start = common
            }
            end = older.count
        }
        if start >= 0 { try body(start..<end) }
    }
}
