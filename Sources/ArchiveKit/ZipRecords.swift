// The records of a zip file, with the names of the specification (APPNOTE 6.3), as far as they are
// used here.

/// The compression method of an entry.
package enum CompressionMethod: UInt16, Sendable {
    case stored = 0
    case deflated = 8
}

/// The general purpose bits that are used here.
struct GeneralPurposeFlags: OptionSet {
    let rawValue: UInt16
    static let encrypted = GeneralPurposeFlags(rawValue: 1 << 0)
    static let dataDescriptor = GeneralPurposeFlags(rawValue: 1 << 3)
    static let patched = GeneralPurposeFlags(rawValue: 1 << 5)
    static let strongEncryption = GeneralPurposeFlags(rawValue: 1 << 6)
    static let utf8 = GeneralPurposeFlags(rawValue: 1 << 11)
    static let maskedHeaders = GeneralPurposeFlags(rawValue: 1 << 13)
}

struct LocalFileHeader {
    static let signature: UInt32 = 0x0403_4b50
    static let size = 30
    var versionNeeded: UInt16 = 20
    var flags: GeneralPurposeFlags = []
    var method: UInt16 = 0
    var time: UInt16 = 0
    var date: UInt16 = 0
    var crc32: UInt32 = 0
    var compressedSize: UInt32 = 0
    var uncompressedSize: UInt32 = 0
    var nameLength: UInt16 = 0
    var extraLength: UInt16 = 0
}

struct CentralDirectoryHeader {
    static let signature: UInt32 = 0x0201_4b50
    static let size = 46
    var versionMadeBy: UInt16 = 0
    var versionNeeded: UInt16 = 20
    var flags: GeneralPurposeFlags = []
    var method: UInt16 = 0
    var time: UInt16 = 0
    var date: UInt16 = 0
    var crc32: UInt32 = 0
    var compressedSize: UInt32 = 0
    var uncompressedSize: UInt32 = 0
    var nameLength: UInt16 = 0
    var extraLength: UInt16 = 0
    var commentLength: UInt16 = 0
    var diskNumberStart: UInt16 = 0
    var internalAttributes: UInt16 = 0
    var externalAttributes: UInt32 = 0
    var localHeaderOffset: UInt32 = 0
}

struct EndOfCentralDirectory {
    static let signature: UInt32 = 0x0605_4b50
    static let size = 22
    var diskNumber: UInt16 = 0
    var directoryDisk: UInt16 = 0
    var entriesOnDisk: UInt16 = 0
    var entries: UInt16 = 0
    var directorySize: UInt32 = 0
    var directoryOffset: UInt32 = 0
    var commentLength: UInt16 = 0
}

struct Zip64EndOfCentralDirectory {
    static let signature: UInt32 = 0x0606_4b50
    static let size = 56
    /// The size of the record without its first 12 bytes.
    static let recordSize: UInt64 = 44
    var entries: UInt64 = 0
    var directorySize: UInt64 = 0
    var directoryOffset: UInt64 = 0
}

struct Zip64Locator {
    static let signature: UInt32 = 0x0706_4b50
    static let size = 20
    var recordOffset: UInt64 = 0
}

/// The tags of extra fields.
enum ExtraField {
    static let zip64: UInt16 = 0x0001
    static let unicodePath: UInt16 = 0x7075
}
