internal import Coding
internal import FileSystem

/// Reads one file of an archive with random access, in constant memory.
///
/// Content that is read sequentially is verified against the checksum of the entry at its end.
/// Reading a compressed entry backward restarts decompression.
package final class EntryInput {
    package let entry: ZipEntry
    private let file: File
    private let path: String
    private var inflate: InflateStream?
    /// The number of compressed bytes that were passed to `inflate`.
    private var taken: Int64 = 0
    /// The decompressed bytes from `position` on that have not been returned yet.
    private var unpacked: ArraySlice<UInt8> = []
    private var position: Int64 = 0
    /// The checksum of the bytes before `checked`.
    private var checksum = CRC32()
    private var checked: Int64 = 0

    /// The pieces are small because a piece may decompress to a thousand times its size.
    private static let pieceSize = 1 << 14

    init(_ entry: ZipEntry, in file: File, path: String) {
        self.entry = entry
        self.file = file
        self.path = path
    }

    /// Fills a buffer with the bytes from `offset` on. Returns the number of bytes, which is zero
    /// only at the end.
    /// - Throws: `ArchiveError.damaged` if the content is damaged.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        let wanted = Int(min(Int64(buffer.count), max(entry.size - offset, 0)))
        guard offset >= 0, wanted > 0 else { return 0 }
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        do {
            let count =
                entry.method == .deflated
                ? try readUnpacked(into: target, at: offset)
                : try file.read(into: target, at: entry.dataOffset + offset)
            guard count == wanted else { throw failure(.truncated, "ends too early") }
        } catch let error as FileSystemError {
            throw ArchiveError(.inputOutput, error.message, path: path, entry: entry.name, underlying: error)
        } catch let error as CodingError {
            throw failure(.damaged, error.message)
        }
        try check(UnsafeRawBufferPointer(target), at: offset)
        return wanted
    }

    private func check(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        guard offset <= checked, offset + Int64(bytes.count) > checked else { return }
        checksum.update(UnsafeRawBufferPointer(rebasing: bytes[Int(checked - offset)...]))
        checked = offset + Int64(bytes.count)
        if checked == entry.size, checksum.value != entry.crc32 { throw failure(.damaged, "its checksum is wrong") }
    }

    private func readUnpacked(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        if offset < position || inflate == nil {
            inflate = try InflateStream()
            (taken, position, unpacked) = (0, 0, [])
        }
        var done = 0
        while done < buffer.count {
            if unpacked.isEmpty {
                guard try unpackMore() else { break }
                continue
            }
            let skipped = min(max(offset - position, 0), Int64(unpacked.count))
            let count = min(unpacked.count - Int(skipped), buffer.count - done)
            UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count]).copyBytes(
                from: unpacked.dropFirst(Int(skipped)).prefix(count))
            unpacked = unpacked.dropFirst(Int(skipped) + count)
            position += skipped + Int64(count)
            done += count
        }
        return done
    }

    /// Decompresses a piece; returns false at the end.
    private func unpackMore() throws -> Bool {
        guard let inflate, !inflate.isAtEnd else { return false }
        let count = Int(min(Int64(Self.pieceSize), entry.compressedSize - taken))
        guard count > 0 else { throw failure(.truncated, "ends too early") }
        var bytes: [UInt8] = []
        try withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { packed in
            guard try file.read(into: packed, at: entry.dataOffset + taken) == count else {
                throw failure(.truncated, "ends too early")
            }
            _ = try inflate.decompress(UnsafeRawBufferPointer(packed)) { piece in
                bytes.append(contentsOf: piece)
                // A piece of a zip bomb may decompress to a thousand times its size, but the entry
                // as a whole must not exceed its declared size.
                guard position + Int64(bytes.count) <= entry.size else {
                    throw failure(.tooLarge, "unpacks to more than it declares")
                }
            }
        }
        taken += Int64(count)
        unpacked = bytes[...]
        return !bytes.isEmpty || !inflate.isAtEnd
    }

    private func failure(_ code: ArchiveError.Code, _ reason: String) -> ArchiveError {
        ArchiveError(code, reason, path: path, entry: entry.name)
    }
}
