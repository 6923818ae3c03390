internal import Coding
package import FileSystem
internal import Foundation

extension DeltaHeader {
    static func checksum(_ bytes: [UInt8]) -> UInt32 { CRC32.checksum(bytes) }
}

/// A reverse delta, which creates an older state of a database from the next newer one.
///
/// Invariants: the runs are in ascending order within `size`, do not overlap, and contain all bytes
/// of the older state beyond the end of the newer one.
package struct DeltaFile {
    let header: DeltaHeader
    let runs: [DeltaRun]
    let references: ContentReferences
    private let file: File

    /// Reads the header and the tables. The bytes of the runs are verified when they are used.
    /// - Throws: `DocumentError.malformed` if the file is damaged.
    init(_ path: String) throws {
        file = try File(path, .read)
        let size = try file.status().size
        guard let header = DeltaHeader(try Self.read(file, 0, DeltaHeader.recordSize)) else { throw Self.damaged(path) }
        let place = Int64(DeltaHeader.recordSize)
        // The counts are checked against the file's size before they are used for reading.
        guard header.dataSize <= UInt64(size), place + Int64(header.dataSize) + Int64(header.tableSize) == size else {
            throw Self.damaged(path)
        }
        let table = try Self.read(file, place + Int64(header.dataSize), header.tableSize)
        guard CRC32.checksum(table) == header.tableChecksum else { throw Self.damaged(path) }
        self.header = header
        guard let runs = Self.runs(header, table) else { throw Self.damaged(path) }
        self.runs = runs
        var names = table[(runs.count * DeltaRun.recordSize)...]
        references = ContentReferences(
            dropped: Self.names(&names, Int(header.droppedCount)), added: Self.names(&names, Int(header.addedCount)))
    }

    package var path: String { file.path }
    package var size: Int64 { Int64(header.size) }
    var newerSize: Int64 { Int64(header.newerSize) }

    private static func runs(_ header: DeltaHeader, _ table: [UInt8]) -> [DeltaRun]? {
        guard header.size < 1 << 49, header.newerSize < 1 << 49 else { return nil }
        let size = Int64(header.size), newerSize = Int64(header.newerSize)
        var runs: [DeltaRun] = []
        runs.reserveCapacity(Int(header.runCount))
        var place = Int64(DeltaHeader.recordSize)
        var end: Int64 = 0
        // All bytes of the older state before this offset are in the newer state or in a run.
        var known = newerSize
        for index in 0..<Int(header.runCount) {
            let start = index * DeltaRun.recordSize
            let offset = table.littleEndian(at: start, as: UInt64.self)
            let length = table.littleEndian(at: start + 8, as: UInt32.self)
            guard length > 0, offset >= UInt64(end), offset <= header.size, UInt64(length) <= header.size - offset
            else { return nil }
            let run = DeltaRun(offset: Int64(offset), length: Int64(length), place: place)
            if run.offset <= known { known = max(known, run.end) }
            end = run.end
            place += run.length
            runs.append(run)
        }
        guard UInt64(place) == UInt64(DeltaHeader.recordSize) + header.dataSize else { return nil }
        // Otherwise a small file could request a huge one. A delta without runs does not create a
        // state; only its references are used.
        guard runs.isEmpty || size <= known else { return nil }
        return runs
    }

    private static func names(_ bytes: inout ArraySlice<UInt8>, _ count: Int) -> Set<UUID> {
        var names = Set<UUID>(minimumCapacity: count)
        for _ in 0..<count {
            let name = bytes.prefix(DeltaHeader.nameSize)
            names.insert(name.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
            bytes = bytes.dropFirst(DeltaHeader.nameSize)
        }
        return names
    }

    private static func read(_ file: File, _ offset: Int64, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let done = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        guard done == count else { throw damaged(file.path) }
        return bytes
    }

    static func damaged(_ path: String) -> DocumentError {
        DocumentError(.malformed, "a version of the document is damaged", path: path)
    }

    // MARK: Use

    /// Reads the bytes of one run in pieces, without verifying them.
    package func read(
        _ run: DeltaRun, _ buffer: UnsafeMutableRawBufferPointer, _ body: (Int64, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var done: Int64 = 0
        while done < run.length {
            let piece = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<Int(min(Int64(buffer.count), run.length - done))])
            guard try file.read(into: piece, at: run.place + done) == piece.count else { throw Self.damaged(path) }
            try body(run.offset + done, UnsafeRawBufferPointer(piece))
            done += Int64(piece.count)
        }
    }

    /// Changes the newer state in `target` to the older one. After an error, the content of
    /// `target` is invalid.
    package func apply(to target: File) throws {
        guard try target.status().size == newerSize else { throw Self.damaged(path) }
        if size != newerSize { try target.truncate(to: size) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 4096)
        defer { buffer.deallocate() }
        var checksum = CRC32()
        for run in runs {
            try read(run, buffer) { offset, bytes in
                checksum.update(bytes)
                try target.write(bytes, at: offset)
            }
        }
        guard checksum.value == header.dataChecksum else { throw Self.damaged(path) }
    }

    /// Throws if the bytes of the runs don't match their checksum.
    func checkData() throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 4096)
        defer { buffer.deallocate() }
        var checksum = CRC32()
        for run in runs { try read(run, buffer) { checksum.update($1) } }
        guard checksum.value == header.dataChecksum else { throw Self.damaged(path) }
    }

    static let pieceSize = 1 << 18
}
