internal import Coding
internal import FileSystem

/// Writes one archive: entries in the order of the calls, then the central directory.
struct Packer {
    private let output: FileAppender
    private let progress: (Int64) throws -> Void
    private var directory = ByteWriter()
    private var count = 0

    private static let level = 6
    /// The maximum compression ratio. Extremely compressible parts are stored partly uncompressed,
    /// because readers reject entries of more than 1 MiB with a ratio above 200.
    private static let mostGrowth: Int64 = 100
    private static let growthFloor: Int64 = 1 << 20

    init(_ output: FileAppender, progress: @escaping (Int64) throws -> Void) {
        self.output = output
        self.progress = progress
    }

    private var offset: Int64 { output.offset }

    /// - Parameter check: Checks the content; not called for entries of other archives, which are
    ///   copied without decompression.
    mutating func add(_ part: ArchivePart, _ check: ContentCheck?) throws {
        switch part.content {
        case .bytes(let bytes):
            try add(part, check, size: Int64(bytes.count)) { offset, buffer in
                let rest = bytes.dropFirst(Int(offset)).prefix(buffer.count)
                buffer.copyBytes(from: rest)
                return rest.count
            }
        case .file(let path):
            let source = try File(path, .read)
            try add(part, check, size: source.status().size) { try source.read(into: $1, at: $0) }
        case .entry(let entry, let source): try copy(part.name, entry, source)
        }
    }

    /// Copies an entry of another archive without decompression.
    private mutating func copy(_ name: String, _ entry: ZipEntry, _ source: File) throws {
        let headerOffset = offset
        var header = LocalFileHeader()
        let isWide = max(entry.size, entry.compressedSize) >= Int64(UInt32.max) - (1 << 24)
        header.versionNeeded = isWide ? WriterFields.wideVersion : WriterFields.version
        header.flags = WriterFields.flags(name)
        header.method = entry.method.rawValue
        header.date = WriterFields.date
        header.crc32 = entry.crc32
        try output.append(bytes(of: header, name, isWide, size: entry.size, compressed: entry.compressedSize))
        var done: Int64 = 0
        while done < entry.compressedSize {
            let wanted = Int(min(Int64(output.space.count), entry.compressedSize - done))
            let count = try source.read(
                into: UnsafeMutableRawBufferPointer(rebasing: output.space[..<wanted]), at: entry.dataOffset + done)
            guard count == wanted else {
                throw ArchiveError(.damaged, "changed while it was packed", path: source.path, entry: name)
            }
            try output.append(first: count)
            done += Int64(count)
            try progress(Int64(count))
        }
        list(header, name, size: entry.size, compressed: entry.compressedSize, at: headerOffset)
    }

    /// Adds a part. `read` fills a buffer from an offset of the content and returns the number of
    /// bytes.
    private mutating func add(
        _ part: ArchivePart, _ check: ContentCheck?, size: Int64,
        _ read: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
    ) throws {
        let headerOffset = offset
        var method = CompressionMethod.stored
        if !part.isStored, size > 0 { method = try Self.shrinks(output.space, read) ? .deflated : .stored }
        // Deflate adds only a few bytes per block to incompressible data.
        let isWide = size >= Int64(UInt32.max) - (1 << 24)
        var header = LocalFileHeader()
        header.versionNeeded = isWide ? WriterFields.wideVersion : WriterFields.version
        header.flags = WriterFields.flags(part.name)
        header.method = method.rawValue
        header.date = WriterFields.date
        try output.append(bytes(of: header, part.name, isWide, size: 0, compressed: 0))

        var checksum = CRC32()
        var done: Int64 = 0
        let deflate = method == .deflated ? try DeflateStream(level: Self.level) : nil
        // What is compressed goes through the space of the output, and can't lie there.
        let plain = deflate.map { _ in
            UnsafeMutableRawBufferPointer.allocate(byteCount: output.space.count, alignment: 4096)
        }
        defer { plain?.deallocate() }
        let dataOffset = offset
        repeat {
            let buffer = plain ?? output.space
            let count = try read(done, buffer)
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            checksum.update(piece)
            try check?.take(piece)
            done += Int64(count)
            if let deflate {
                let isTooSmall =
                    size > Self.growthFloor && done > Self.growthFloor / 2
                    && done > Self.mostGrowth * (offset - dataOffset)
                try deflate.setLevel(isTooSmall ? 0 : Self.level) { try output.append($0) }
                try deflate.compress(piece, isLast: done >= size || count == 0) { try output.append($0) }
            } else {
                try output.append(first: count)
            }
            try progress(Int64(count))
            if count == 0 { break }
        } while done < size
        guard done == size else {
            throw ArchiveError(.damaged, "changed while it was packed", path: output.file.path, entry: part.name)
        }
        try check?.finish()

        header.crc32 = checksum.value
        try output.overwrite(
            bytes(of: header, part.name, isWide, size: size, compressed: offset - dataOffset), at: headerOffset)
        list(header, part.name, size: size, compressed: offset - dataOffset, at: headerOffset)
    }

    /// Whether the beginning of the content shrinks by at least a twentieth. Compressed data do
    /// not, and usually show it by a uniform distribution of byte values. Only if the distribution
    /// is not conclusive, the sample is compressed, which costs twenty times as much as storing it.
    private static func shrinks(
        _ buffer: UnsafeMutableRawBufferPointer, _ read: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> Bool {
        let sample = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, 1 << 16)])
        let count = try read(0, sample)
        if looksRandom(UnsafeRawBufferPointer(rebasing: sample[..<count])) { return false }
        var compressed = 0
        try DeflateStream().compress(UnsafeRawBufferPointer(rebasing: sample[..<count]), isLast: true) {
            compressed += $0.count
        }
        return compressed < count - count / 20
    }

    /// Whether byte values are distributed like random bytes, by Pearson's chi-squared test: for
    /// random bytes the sum over the 256 values is about 255 with a standard deviation of 23. Text,
    /// numbers and uncompressed pixels give many thousands, random bytes that occur twice give
    /// twice the value, and a sequence that counts through all values gives about zero.
    private static func looksRandom(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 1 << 14 else { return false }
        var counts = [Int](repeating: 0, count: 256)
        for byte in bytes { counts[Int(byte)] += 1 }
        let squares = counts.reduce(0) { $0 + $1 * $1 }
        return (128..<450).contains(squares * 256 / bytes.count - bytes.count)
    }

    private func bytes(of header: LocalFileHeader, _ name: String, _ isWide: Bool, size: Int64, compressed: Int64)
        -> [UInt8]
    {
        var header = header
        var extra = ByteWriter()
        if isWide {
            header.uncompressedSize = .max
            header.compressedSize = .max
            extra.put(ExtraField.zip64)
            extra.put(UInt16(16))
            extra.put(size)
            extra.put(compressed)
        } else {
            header.uncompressedSize = UInt32(size)
            header.compressedSize = UInt32(compressed)
        }
        header.nameLength = UInt16(name.utf8.count)
        header.extraLength = UInt16(extra.bytes.count)
        var writer = ByteWriter()
        header.write(to: &writer)
        writer.put(name.utf8)
        writer.put(extra.bytes)
        return writer.bytes
    }

    private mutating func list(
        _ local: LocalFileHeader, _ name: String, size: Int64, compressed: Int64, at place: Int64
    ) {
        var header = CentralDirectoryHeader()
        var extra = ByteWriter()
        func narrow(_ value: Int64) -> UInt32 {
            if value < Int64(UInt32.max) { return UInt32(value) }
            extra.put(value)
            return .max
        }
        header.versionMadeBy = WriterFields.madeBy
        header.flags = local.flags
        header.method = local.method
        header.time = local.time
        header.date = local.date
        header.crc32 = local.crc32
        header.uncompressedSize = narrow(size)
        header.compressedSize = narrow(compressed)
        header.localHeaderOffset = narrow(place)
        header.versionNeeded = extra.bytes.isEmpty ? local.versionNeeded : WriterFields.wideVersion
        header.nameLength = UInt16(name.utf8.count)
        header.extraLength = extra.bytes.isEmpty ? 0 : UInt16(extra.bytes.count + 4)
        header.externalAttributes = WriterFields.externalAttributes
        header.write(to: &directory)
        directory.put(name.utf8)
        if !extra.bytes.isEmpty {
            directory.put(ExtraField.zip64)
            directory.put(UInt16(extra.bytes.count))
            directory.put(extra.bytes)
        }
        count += 1
    }

    mutating func finish() throws {
        let directoryOffset = offset
        try output.append(directory.bytes)
        let size = offset - directoryOffset
        var writer = ByteWriter()
        if count >= Int(UInt16.max) || directoryOffset >= Int64(UInt32.max) || size >= Int64(UInt32.max) {
            var record = Zip64EndOfCentralDirectory()
            record.entries = UInt64(count)
            record.directorySize = UInt64(size)
            record.directoryOffset = UInt64(directoryOffset)
            record.write(to: &writer)
            Zip64Locator(recordOffset: UInt64(offset)).write(to: &writer)
        }
        var end = EndOfCentralDirectory()
        end.entries = UInt16(min(count, Int(UInt16.max)))
        end.entriesOnDisk = end.entries
        end.directorySize = UInt32(min(size, Int64(UInt32.max)))
        end.directoryOffset = UInt32(min(directoryOffset, Int64(UInt32.max)))
        end.write(to: &writer)
        try output.append(writer.bytes)
        try output.finish()
    }
}
