internal import Coding
package import FileSystem

/// Extracts the readable content of a damaged archive by searching for the local headers of
/// entries. The central directory may be missing, and there may be other bytes between entries.
///
/// The rules for names and kinds are those for intact archives. Entries that are truncated or have
/// a wrong checksum are extracted as far as possible and reported.
package struct ArchiveSalvager {
    private let file: File
    private let size: Int64
    private let limits: ArchiveLimits
    private let allowing: (String) -> Bool
    private var names = Set<String>()
    private var total: Int64 = 0
    /// The number of bytes that were read for damaged entries and are searched again for headers.
    private var reread: Int64 = 0
    /// The offsets of local headers according to the central directory, if it is readable. A
    /// damaged entry ends at the next header, regardless of its declared size.
    private let headers: [Int64]
    /// The errors that were found.
    package private(set) var findings: [ArchiveError] = []

    private static let windowSize = 1 << 20
    private static let shortestWindow = 256
    private static let mostFindings = 1000
    private static let largestDirectory: Int64 = 64 << 20

    package init(_ file: File, limits: ArchiveLimits = ArchiveLimits(), allowing: @escaping (String) -> Bool) throws {
        self.file = file
        size = try file.status().size
        self.limits = limits
        self.allowing = allowing
        headers = try Self.listedHeaders(file, size, limits)
    }

    /// Whether the first part of a file contains the local header of an entry.
    package static func hasEntries(_ file: File) throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: windowSize)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return place(of: LocalFileHeader.signature, in: bytes[..<count]) != nil
    }

    /// Extracts the entries into an existing folder.
    /// - Returns: The number of extracted files.
    package mutating func extract(to target: String) throws -> Int {
        var offset: Int64 = 0
        var count = 0
        while let start = try nextSignature(from: offset) {
            guard let entry = try entry(at: start) else {
                offset = start + 4
                continue
            }
            guard names.count < limits.entries else {
                report(.tooMany, "more than \(limits.entries) entries")
                break
            }
            if start > offset, offset == 0 { report(.ambiguous, "junk before its first entry") }
            if let objection = objection(to: entry) {
                report(entry.isEncrypted ? .encrypted : .unsafeName, objection, entry.name)
                offset = max(
                    start + 4, end(of: entry, entry.dataOffset + (entry.hasDescriptor ? 0 : entry.compressedSize)))
                continue
            }
            offset = try extract(entry, to: target)
            if !entry.name.hasSuffix("/") { count += 1 }
        }
        return count
    }

    // MARK: Lookup

    private struct Entry {
        let name: String
        let method: CompressionMethod?
        let headerOffset: Int64
        let isEncrypted: Bool
        let hasDescriptor: Bool
        let crc32: UInt32
        let compressedSize: Int64
        let size: Int64
        let dataOffset: Int64
    }

    private static func place(of signature: UInt32, in bytes: ArraySlice<UInt8>) -> Int? {
        let run = withUnsafeBytes(of: signature.littleEndian) { Array($0) }
        var index = bytes.startIndex
        while index + 4 <= bytes.endIndex {
            guard let found = bytes[index..<(bytes.endIndex - 3)].firstIndex(of: run[0]) else { return nil }
            if bytes[found..<found + 4].elementsEqual(run) { return found }
            index = found + 1
        }
        return nil
    }

    /// Finds the next local header. It is usually at the start, so the window is small at first and
    /// grows.
    private func nextSignature(from start: Int64, _ signature: UInt32 = LocalFileHeader.signature) throws -> Int64? {
        var offset = start, length = Self.shortestWindow
        while offset + 4 <= size {
            let window = try read(at: offset, count: length)
            guard window.count >= 4 else { return nil }
            if let place = Self.place(of: signature, in: window[...]) { return offset + Int64(place) }
            offset += Int64(window.count - 3)
            length = min(2 * length, Self.windowSize)
        }
        return nil
    }

    /// Nil if the bytes after the signature are not a valid header.
    private func entry(at start: Int64) throws -> Entry? {
        guard let header = LocalFileHeader(try read(at: start, count: LocalFileHeader.size)), header.nameLength > 0
        else { return nil }
        let rest = try read(
            at: start + Int64(LocalFileHeader.size), count: Int(header.nameLength) + Int(header.extraLength))
        guard rest.count == Int(header.nameLength) + Int(header.extraLength),
            let name = String(validating: rest.prefix(Int(header.nameLength)), as: UTF8.self)
        else { return nil }
        var field = ExtraField.content(ExtraField.zip64, in: rest[Int(header.nameLength)...]).map { ByteReader($0) }
        func wide(_ value: UInt32) -> Int64? {
            guard value == .max else { return Int64(value) }
            guard let number: UInt64 = field?.number(), number < 1 << 62 else { return nil }
            return Int64(number)
        }
        guard let whole = wide(header.uncompressedSize), let compressed = wide(header.compressedSize) else {
            return nil
        }
        return Entry(
            name: name, method: CompressionMethod(rawValue: header.method),
            headerOffset: start, isEncrypted: header.flags.contains(.encrypted),
            hasDescriptor: header.flags.contains(.dataDescriptor) && compressed == 0, crc32: header.crc32,
            compressedSize: compressed, size: whole,
            dataOffset: start + Int64(LocalFileHeader.size) + Int64(rest.count))
    }

    /// The offset to continue at after a possibly damaged entry whose declared end is `stated`.
    private func end(of entry: Entry, _ stated: Int64) -> Int64 {
        var low = 0, high = headers.count
        while low < high {
            let middle = (low + high) / 2
            if headers[middle] > entry.headerOffset { high = middle } else { low = middle + 1 }
        }
        return low < headers.count ? min(stated, headers[low]) : stated
    }

    /// The offsets of the local headers according to the central directory, in ascending order.
    private static func listedHeaders(_ file: File, _ size: Int64, _ limits: ArchiveLimits) throws -> [Int64] {
        func read(_ offset: Int64, _ count: Int64) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: Int(min(count, size - offset)))
            let done = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
            return Array(bytes[..<done])
        }
        let start = max(0, size - Int64(EndOfCentralDirectory.size) - Int64(UInt16.max))
        let tail = try read(start, size - start)
        guard
            let place = tail.indices.reversed().first(where: {
                tail[$0] == 0x50 && EndOfCentralDirectory(tail[$0...]) != nil
            }), let end = EndOfCentralDirectory(tail[place...]), end.directoryOffset < size
        else { return [] }
        let bytes = try read(
            Int64(end.directoryOffset), min(Int64(end.directorySize), largestDirectory))
        var reader = ByteReader(bytes), headers: [Int64] = []
        while headers.count < limits.entries, let entry = CentralDirectoryHeader(&reader),
            reader.take(Int(entry.nameLength) + Int(entry.extraLength) + Int(entry.commentLength)) != nil
        {
            headers.append(Int64(entry.localHeaderOffset))
        }
        return headers.sorted()
    }

    private mutating func objection(to entry: Entry) -> String? {
        if let objection = EntryName.objection(to: entry.name, limits) { return objection }
        if entry.isEncrypted { return "is encrypted" }
        if entry.method == nil { return "is compressed by a method that is not read here" }
        if !allowing(entry.name) { return "has no place in such an archive" }
        return names.insert(EntryName.folded(entry.name)).inserted ? nil : "its name comes twice: the first is taken"
    }

    // MARK: Removal

    /// - Returns: The end of the entry.
    private mutating func extract(_ entry: Entry, to target: String) throws -> Int64 {
        if entry.name.hasSuffix("/") { return entry.dataOffset }
        let path = FilePath.join(target, entry.name)
        try Disk.makeDirectories(FilePath.parent(path), mode: 0o700)
        guard try !Disk.exists(path) else {
            report(.duplicateName, "is a file and a folder", entry.name)
            return entry.dataOffset
        }
        let output = try File(path, .create(mode: 0o600))
        defer { output.close() }
        var produced: Int64 = 0
        var checksum = CRC32()
        func put(_ bytes: UnsafeRawBufferPointer) throws {
            produced += Int64(bytes.count)
            guard produced <= max(entry.size, entry.hasDescriptor ? .max : 0), total + produced <= limits.total,
                produced <= limits.ratioFloor || produced / limits.ratio <= size
            else { throw ArchiveError(.tooLarge, "unpacks to more than it may", path: file.path, entry: entry.name) }
            checksum.update(bytes)
            try output.append(bytes)
        }
        var end = entry.dataOffset
        var isWhole = false
        defer { total += produced }
        do {
            isWhole = entry.method == .deflated ? try inflate(entry, &end, put) : try copy(entry, &end, put)
        } catch let error as ArchiveError {
            report(error.code, error.messageWithoutPath, nil)
            return self.end(of: entry, restart(entry, readUpTo: end))
        } catch is CodingError {
            report(.damaged, "is broken after \(produced) bytes", entry.name)
            return self.end(
                of: entry,
                entry.hasDescriptor
                    ? restart(entry, readUpTo: end) : min(size, entry.dataOffset + entry.compressedSize))
        }
        if !isWhole {
            report(.truncated, "is cut off after \(produced) bytes", entry.name)
        } else if try checksum.value != expectedChecksum(entry, end) {
            report(.damaged, "its checksum is wrong", entry.name)
        } else {
            return end
        }
        return self.end(of: entry, end)
    }

    /// The offset to search from after an inconsistent entry: the start of its content, unless
    /// twice the size of the file has been read for such entries.
    private mutating func restart(_ entry: Entry, readUpTo end: Int64) -> Int64 {
        reread += end - entry.dataOffset
        return reread > 2 * size ? max(end, entry.dataOffset) : entry.dataOffset
    }

    /// The checksum of an entry, from the data descriptor if it has one.
    private func expectedChecksum(_ entry: Entry, _ end: Int64) throws -> UInt32 {
        guard entry.hasDescriptor else { return entry.crc32 }
        var reader = ByteReader(try read(at: end, count: 8))
        guard let first: UInt32 = reader.number() else { return 0 }
        return first == 0x0807_4b50 ? reader.number() ?? 0 : first
    }

    /// - Parameter end: Set to the end of the entry, or of the part that was read.
    /// - Returns: Whether the entry is complete.
    private func inflate(_ entry: Entry, _ end: inout Int64, _ put: (UnsafeRawBufferPointer) throws -> Void) throws
        -> Bool
    {
        let stream = try InflateStream()
        let limit = entry.hasDescriptor ? size : min(size, entry.dataOffset + entry.compressedSize)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(1 << 18, max(1, limit - end))), alignment: 16)
        defer { buffer.deallocate() }
        while !stream.isAtEnd, end < limit {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), limit - end))])
            let count = try file.read(into: piece, at: end)
            guard count > 0 else { break }
            let start = end
            end += Int64(count)
            end = start + Int64(try stream.decompress(UnsafeRawBufferPointer(rebasing: piece[..<count]), put))
        }
        // The end of the compressed stream is more reliable than the size in the header, which may
        // be damaged.
        if !stream.isAtEnd, !entry.hasDescriptor { end = limit }
        return stream.isAtEnd
    }

    /// - Parameter end: Set to the end of the entry, or of the part that was read.
    /// - Returns: Whether the entry is complete.
    private func copy(_ entry: Entry, _ end: inout Int64, _ put: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool
    {
        // The size is known only from the data descriptor after the content.
        let wanted =
            entry.hasDescriptor
            ? try nextSignature(from: entry.dataOffset, 0x0807_4b50) ?? size : entry.dataOffset + entry.compressedSize
        let limit = min(size, wanted)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(1 << 18, max(1, limit - end))), alignment: 16)
        defer { buffer.deallocate() }
        while end < limit {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), limit - end))])
            let count = try file.read(into: piece, at: end)
            guard count > 0 else { break }
            end += Int64(count)
            try put(UnsafeRawBufferPointer(rebasing: piece[..<count]))
        }
        return end == wanted
    }

    private func read(at offset: Int64, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let done = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        return Array(bytes[..<done])
    }

    private mutating func report(_ code: ArchiveError.Code, _ reason: String, _ entry: String? = nil) {
        if findings.count < Self.mostFindings {
            findings.append(ArchiveError(code, reason, path: file.path, entry: entry))
        }
    }
}
