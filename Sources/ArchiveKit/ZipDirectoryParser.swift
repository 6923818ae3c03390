internal import FileSystem

/// Parses the directory of an archive and validates every entry.
struct ZipDirectoryParser {
    let file: File
    let limits: ArchiveLimits
    private var fileSize: Int64 = 0
    private var names = Set<String>()
    private var folders = Set<String>()
    private var total: Int64 = 0

    init(file: File, limits: ArchiveLimits) {
        self.file = file
        self.limits = limits
    }

    mutating func parse(allowing: (String) -> Bool) throws -> [ZipEntry] {
        fileSize = try file.status().size
        let place = try locateDirectory()
        guard place.count <= limits.entries else {
            throw error(.tooMany, "\(place.count) entries, \(limits.entries) are allowed", limit: Int64(limits.entries))
        }
        // Every record has a fixed part, so the number of entries limits the size that is read
        // here.
        guard place.size <= Int64(place.count) * Int64(CentralDirectoryHeader.size + limits.nameBytes + 4096) else {
            throw error(.damaged, "a directory of \(place.size) bytes for \(place.count) entries")
        }
        let bytes = try read(at: place.offset, count: Int(place.size))
        var reader = ByteReader(bytes)
        var entries: [ZipEntry] = []
        entries.reserveCapacity(place.count)
        for _ in 0..<place.count {
            guard let header = CentralDirectoryHeader(&reader), let name = reader.take(Int(header.nameLength)),
                let extra = reader.take(Int(header.extraLength)), reader.take(Int(header.commentLength)) != nil
            else { throw error(.damaged, "the directory is broken after \(entries.count) entries") }
            entries.append(try entry(header, name, extra, allowing))
        }
        guard reader.remaining == 0 else { throw error(.ambiguous, "bytes in the directory that belong to no entry") }
        entries.sort { $0.headerOffset < $1.headerOffset }
        try checkPlaces(entries, directoryOffset: place.offset)
        return entries
    }

    // MARK: The end of the file

    private func locateDirectory() throws -> (offset: Int64, size: Int64, count: Int) {
        let tailSize = Int(min(fileSize, Int64(EndOfCentralDirectory.size + Zip64Locator.size)))
        let tail = try read(at: fileSize - Int64(tailSize), count: tailSize)
        guard tail.count >= EndOfCentralDirectory.size,
            let end = EndOfCentralDirectory(tail.suffix(EndOfCentralDirectory.size))
        else {
            throw try noEnd()
        }
        guard end.commentLength == 0 else { throw error(.damaged, "its end record is broken") }
        guard end.diskNumber == 0, end.directoryDisk == 0, end.entries == end.entriesOnDisk else {
            throw error(.unsupported, "is one part of an archive in several files")
        }
        var offset = Int64(end.directoryOffset), size = Int64(end.directorySize), count = Int(end.entries)
        var directoryEnd = fileSize - Int64(EndOfCentralDirectory.size)
        if let locator = Zip64Locator(tail.dropLast(EndOfCentralDirectory.size)) {
            directoryEnd -= Int64(Zip64Locator.size + Zip64EndOfCentralDirectory.size)
            guard directoryEnd >= 0, locator.recordOffset == UInt64(directoryEnd),
                let record = try Zip64EndOfCentralDirectory(
                    read(at: directoryEnd, count: Zip64EndOfCentralDirectory.size)),
                record.entries <= UInt64(Int32.max), record.directoryOffset <= UInt64(fileSize),
                record.directorySize <= UInt64(fileSize)
            else { throw error(.damaged, "its Zip64 end record is broken") }
            guard end.entries == UInt16.max || UInt64(end.entries) == record.entries,
                end.directoryOffset == UInt32.max || UInt64(end.directoryOffset) == record.directoryOffset,
                end.directorySize == UInt32.max || UInt64(end.directorySize) == record.directorySize
            else { throw error(.ambiguous, "its two end records differ") }
            offset = Int64(record.directoryOffset)
            size = Int64(record.directorySize)
            count = Int(record.entries)
        }
        guard offset + size == directoryEnd else {
            throw offset + size < directoryEnd
                ? error(.ambiguous, "junk before its first entry or around its directory")
                : error(.truncated, "its directory does not fit into the file")
        }
        return (offset, size, count)
    }

    /// The error for a missing end record, with the most likely reason.
    private func noEnd() throws -> ArchiveError {
        guard ZipDirectory.begins(try read(at: 0, count: Int(min(4, fileSize)))) else {
            return error(.notAnArchive, "not a zip archive")
        }
        let tail = try read(at: fileSize - min(fileSize, 70_000), count: Int(min(fileSize, 70_000)))
        let signature: [UInt8] = [0x50, 0x4b, 5, 6]
        let hasEnd = tail.indices.dropLast(EndOfCentralDirectory.size - 1).contains {
            tail[$0] == signature[0] && tail[$0..<$0 + 4].elementsEqual(signature)
        }
        return hasEnd
            ? error(.ambiguous, "junk or a comment after its end")
            : error(.truncated, "the archive is cut off: it has no directory")
    }

    // MARK: One entry

    private mutating func entry(
        _ header: CentralDirectoryHeader, _ rawName: ArraySlice<UInt8>, _ extra: ArraySlice<UInt8>,
        _ allowing: (String) -> Bool
    ) throws -> ZipEntry {
        guard let name = String(validating: rawName, as: UTF8.self) else {
            throw error(.unsafeName, "a name that is no UTF-8", entry: String(decoding: rawName, as: UTF8.self))
        }
        if let objection = EntryName.objection(to: name, limits) { throw error(.unsafeName, objection, entry: name) }
        // This field would give the entry another name in other readers.
        if let path = ExtraField.content(ExtraField.unicodePath, in: extra), !path.dropFirst(5).elementsEqual(rawName) {
            throw error(.ambiguous, "has two names", entry: name)
        }
        let flags = header.flags
        if !flags.isDisjoint(with: [.encrypted, .strongEncryption, .maskedHeaders]) {
            throw error(.encrypted, "is encrypted", entry: name)
        }
        guard let method = CompressionMethod(rawValue: header.method), !flags.contains(.patched) else {
            throw error(.unsupported, "compression method \(header.method) is not read here", entry: name)
        }
        let isDirectory = name.hasSuffix("/")
        try checkKind(header, isDirectory, name)
        guard allowing(name) else { throw error(.unexpectedEntry, "has no place in such an archive", entry: name) }
        let sizes = try sizes(header, extra, name)
        try checkUnique(name, isDirectory)
        try checkSizes(sizes.size, sizes.compressed, method, isDirectory, name)
        guard header.diskNumberStart == 0, sizes.offset <= fileSize - Int64(LocalFileHeader.size) else {
            throw error(.damaged, "lies outside the file", entry: name)
        }
        let (local, dataOffset) = try checkLocal(header, rawName, at: sizes.offset, sizes.size, sizes.compressed, name)
        guard dataOffset + sizes.compressed <= fileSize else {
            throw error(.truncated, "ends outside the file", entry: name)
        }
        return ZipEntry(
            name: name, isDirectory: isDirectory, method: method, size: sizes.size, compressedSize: sizes.compressed,
            crc32: header.crc32,
            headerOffset: sizes.offset, dataOffset: dataOffset, deviations: WriterFields.deviations(header, local, name)
        )
    }

    private func checkKind(_ header: CentralDirectoryHeader, _ isDirectory: Bool, _ name: String) throws {
        // Only Unix-like writers store a mode in the upper half.
        let writer = header.versionMadeBy >> 8
        guard writer == 3 || writer == 19 else { return }
        let mode = header.externalAttributes >> 16
        let kind = mode & 0o170000
        guard kind == 0 || kind == (isDirectory ? 0o040000 : 0o100000) else {
            throw error(.unsuitableEntry, "neither a plain file nor a folder", entry: name)
        }
        guard mode & 0o6000 == 0 else { throw error(.unsuitableEntry, "has a set-user or set-group mode", entry: name) }
    }

    private mutating func checkUnique(_ name: String, _ isDirectory: Bool) throws {
        let path = isDirectory ? name.dropLast() : name[...]
        let folded = EntryName.folded(path)
        guard names.insert(folded).inserted else {
            throw error(.duplicateName, "its name comes twice, perhaps in another case", entry: name)
        }
        if isDirectory { folders.insert(folded) }
        // If a name is both a file and the folder of another entry, the conflict is found with the
        // entry that comes second.
        guard isDirectory || !folders.contains(folded) else {
            throw error(.duplicateName, "is a file and a folder", entry: name)
        }
        var end = folded.endIndex
        while let slash = folded[..<end].lastIndex(of: "/") {
            let folder = String(folded[..<slash])
            if names.contains(folder), !folders.contains(folder) {
                throw error(.duplicateName, "lies in something that is a file", entry: name)
            }
            folders.insert(folder)
            end = slash
        }
    }

    private mutating func checkSizes(
        _ size: Int64, _ compressed: Int64, _ method: CompressionMethod, _ isDirectory: Bool, _ name: String
    ) throws {
        if isDirectory, size != 0 { throw error(.damaged, "a folder with content", entry: name) }
        if method == .stored, size != compressed { throw error(.damaged, "stored, but with two sizes", entry: name) }
        if size > limits.ratioFloor, size / limits.ratio > compressed {
            throw error(
                .tooLarge, "unpacks to more than \(limits.ratio) times its size", entry: name, limit: limits.ratio)
        }
        total += min(size, limits.total + 1)
        if total > limits.total {
            throw error(
                .tooLarge, "the entries unpack to more than \(limits.total) bytes", entry: name, limit: limits.total)
        }
    }

    /// The sizes and the offset, taken from the Zip64 field if the record can't represent them.
    private func sizes(
        _ header: CentralDirectoryHeader, _ extra: ArraySlice<UInt8>, _ name: String
    ) throws -> (size: Int64, compressed: Int64, offset: Int64) {
        var field = ExtraField.content(ExtraField.zip64, in: extra).map { ByteReader($0) }
        func wide(_ value: UInt32) throws -> Int64 {
            guard value == UInt32.max else { return Int64(value) }
            guard let number: UInt64 = field?.number(), number < UInt64(1) << 62 else {
                throw error(.damaged, "its Zip64 sizes are broken", entry: name)
            }
            return Int64(number)
        }
        let size = try wide(header.uncompressedSize), compressed = try wide(header.compressedSize)
        return (size, compressed, try wide(header.localHeaderOffset))
    }

    /// Compares the local header with the central one. Returns it and the offset of the data.
    private func checkLocal(
        _ central: CentralDirectoryHeader, _ name: ArraySlice<UInt8>, at offset: Int64, _ size: Int64,
        _ compressed: Int64, _ text: String
    ) throws -> (LocalFileHeader, dataOffset: Int64) {
        guard let local = LocalFileHeader(try read(at: offset, count: LocalFileHeader.size)) else {
            throw error(.damaged, "has no header of its own", entry: text)
        }
        let rest = try read(
            at: offset + Int64(LocalFileHeader.size), count: Int(local.nameLength) + Int(local.extraLength))
        guard rest.prefix(Int(local.nameLength)).elementsEqual(name) else {
            throw error(.ambiguous, "has another name in its own header", entry: text)
        }
        let ignored: GeneralPurposeFlags = [.dataDescriptor]
        guard local.method == central.method, local.flags.subtracting(ignored) == central.flags.subtracting(ignored)
        else {
            throw error(.ambiguous, "is kept in another way than the directory says", entry: text)
        }
        if !local.flags.contains(.dataDescriptor) {
            var field = ExtraField.content(ExtraField.zip64, in: rest[Int(local.nameLength)...]).map { ByteReader($0) }
            let isWide = local.uncompressedSize == .max || local.compressedSize == .max
            let localSize: UInt64? = isWide ? field?.number() : UInt64(local.uncompressedSize)
            let localCompressed: UInt64? = isWide ? field?.number() : UInt64(local.compressedSize)
            guard localSize == UInt64(size), localCompressed == UInt64(compressed), local.crc32 == central.crc32 else {
                throw error(.ambiguous, "has other sizes or another checksum in its own header", entry: text)
            }
        }
        return (local, offset + Int64(LocalFileHeader.size) + Int64(rest.count))
    }

    /// Checks that the entries follow each other without gap or overlap, except for data
    /// descriptors of streaming writers.
    private func checkPlaces(_ entries: [ZipEntry], directoryOffset: Int64) throws {
        var end: Int64 = 0
        let starts = entries.map { ($0.headerOffset, $0.name) } + [(directoryOffset, entries.last?.name ?? "")]
        for (index, (start, name)) in starts.enumerated() {
            let gap = start - end
            guard gap >= 0 else { throw error(.ambiguous, "overlaps another entry", entry: name) }
            let descriptorSizes: [Int64] = index == 0 ? [0] : [0, 12, 16, 20, 24]
            guard descriptorSizes.contains(gap) else {
                throw error(.ambiguous, "junk between the entries", entry: name)
            }
            if index < entries.count { end = entries[index].dataOffset + entries[index].compressedSize }
        }
    }

    // MARK: Helpers

    private func read(at offset: Int64, count: Int) throws -> [UInt8] {
        guard offset >= 0, offset + Int64(count) <= fileSize else { throw error(.truncated, "the archive is cut off") }
        var bytes = [UInt8](repeating: 0, count: count)
        let done = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
        guard done == count else { throw error(.truncated, "the archive is cut off") }
        return bytes
    }

    private func error(_ code: ArchiveError.Code, _ reason: String, entry: String? = nil, limit: Int64? = nil)
        -> ArchiveError
    {
        ArchiveError(code, reason, path: file.path, entry: entry, limit: limit)
    }
}
