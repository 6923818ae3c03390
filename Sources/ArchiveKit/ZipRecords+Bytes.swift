import Coding

// The byte layout of the records. The initializers return nil at the end of the bytes or for a
// wrong signature.

extension LocalFileHeader {
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.number() == Self.signature, let needed: UInt16 = reader.number(),
            let bits: UInt16 = reader.number(),
            let method: UInt16 = reader.number(), let time: UInt16 = reader.number(),
            let date: UInt16 = reader.number(),
            let crc32: UInt32 = reader.number(), let compressedSize: UInt32 = reader.number(),
            let uncompressedSize: UInt32 = reader.number(),
            let nameLength: UInt16 = reader.number(), let extraLength: UInt16 = reader.number()
        else { return nil }
        versionNeeded = needed
        flags = GeneralPurposeFlags(rawValue: bits)
        self.method = method
        self.time = time
        self.date = date
        self.crc32 = crc32
        self.compressedSize = compressedSize
        self.uncompressedSize = uncompressedSize
        self.nameLength = nameLength
        self.extraLength = extraLength
    }

    func write(to writer: inout ByteWriter) {
        writer.put(Self.signature)
        for number in [versionNeeded, flags.rawValue, method, time, date] { writer.put(number) }
        for number in [crc32, compressedSize, uncompressedSize] { writer.put(number) }
        for number in [nameLength, extraLength] { writer.put(number) }
    }
}

extension CentralDirectoryHeader {
    init?(_ reader: inout ByteReader) {
        guard reader.number() == Self.signature, let made: UInt16 = reader.number(),
            let needed: UInt16 = reader.number(),
            let bits: UInt16 = reader.number(), let method: UInt16 = reader.number(),
            let time: UInt16 = reader.number(),
            let date: UInt16 = reader.number(), let crc32: UInt32 = reader.number(),
            let compressedSize: UInt32 = reader.number(),
            let uncompressedSize: UInt32 = reader.number(), let nameLength: UInt16 = reader.number(),
            let extraLength: UInt16 = reader.number(),
            let commentLength: UInt16 = reader.number(), let disk: UInt16 = reader.number(),
            let inner: UInt16 = reader.number(),
            let outer: UInt32 = reader.number(), let offset: UInt32 = reader.number()
        else { return nil }
        versionMadeBy = made
        versionNeeded = needed
        flags = GeneralPurposeFlags(rawValue: bits)
        self.method = method
        self.time = time
        self.date = date
        self.crc32 = crc32
        self.compressedSize = compressedSize
        self.uncompressedSize = uncompressedSize
        self.nameLength = nameLength
        self.extraLength = extraLength
        self.commentLength = commentLength
        diskNumberStart = disk
        internalAttributes = inner
        externalAttributes = outer
        localHeaderOffset = offset
    }

    func write(to writer: inout ByteWriter) {
        writer.put(Self.signature)
        for number in [versionMadeBy, versionNeeded, flags.rawValue, method, time, date] { writer.put(number) }
        for number in [crc32, compressedSize, uncompressedSize] { writer.put(number) }
        for number in [nameLength, extraLength, commentLength, diskNumberStart, internalAttributes] {
            writer.put(number)
        }
        for number in [externalAttributes, localHeaderOffset] { writer.put(number) }
    }
}

extension EndOfCentralDirectory {
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard reader.number() == Self.signature, let disk: UInt16 = reader.number(),
            let directoryDisk: UInt16 = reader.number(),
            let entriesOnDisk: UInt16 = reader.number(), let entries: UInt16 = reader.number(),
            let size: UInt32 = reader.number(),
            let offset: UInt32 = reader.number(), let commentLength: UInt16 = reader.number()
        else { return nil }
        diskNumber = disk
        self.directoryDisk = directoryDisk
        self.entriesOnDisk = entriesOnDisk
        self.entries = entries
        directorySize = size
        directoryOffset = offset
        self.commentLength = commentLength
    }

    func write(to writer: inout ByteWriter) {
        writer.put(Self.signature)
        for number in [diskNumber, directoryDisk, entriesOnDisk, entries] { writer.put(number) }
        for number in [directorySize, directoryOffset] { writer.put(number) }
        writer.put(commentLength)
    }
}

extension Zip64EndOfCentralDirectory {
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.number() == Self.signature, reader.number() == Self.recordSize, reader.take(4) != nil,
            reader.number() == UInt32(0),
            reader.number() == UInt32(0), let onDisk: UInt64 = reader.number(), let entries: UInt64 = reader.number(),
            onDisk == entries,
            let size: UInt64 = reader.number(), let offset: UInt64 = reader.number()
        else { return nil }
        self.entries = entries
        directorySize = size
        directoryOffset = offset
    }

    func write(to writer: inout ByteWriter) {
        writer.put(Self.signature)
        writer.put(Self.recordSize)
        for version in [UInt16(3 << 8 | 45), 45] { writer.put(version) }
        for disk in [UInt32(0), 0] { writer.put(disk) }
        for number in [entries, entries, directorySize, directoryOffset] { writer.put(number) }
    }
}

extension Zip64Locator {
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard reader.number() == Self.signature, reader.number() == UInt32(0), let offset: UInt64 = reader.number(),
            reader.number() == UInt32(1)
        else { return nil }
        recordOffset = offset
    }

    func write(to writer: inout ByteWriter) {
        writer.put(Self.signature)
        writer.put(UInt32(0))
        writer.put(recordOffset)
        writer.put(UInt32(1))
    }
}

extension ExtraField {
    /// The content of the extra field with `tag`; nil if there is none. A malformed sequence of
    /// fields ends the search.
    static func content(_ tag: UInt16, in extra: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var reader = ByteReader(extra)
        while let found: UInt16 = reader.number(), let size: UInt16 = reader.number(),
            let content = reader.take(Int(size))
        {
            if found == tag { return content }
        }
        return nil
    }
}
