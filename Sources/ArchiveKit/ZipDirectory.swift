package import FileSystem

/// An entry of an archive, on which the central directory and the local header agree.
package struct ZipEntry: Sendable, Hashable {
    package let name: String
    package let isDirectory: Bool
    package let method: CompressionMethod
    package let size: Int64
    package let compressedSize: Int64
    package let crc32: UInt32
    /// The offset of the local header.
    package let headerOffset: Int64
    /// The offset of the content, compressed or not.
    package let dataOffset: Int64
    /// The number of header fields that do not depend on the content and differ from those that
    /// `ArchiveWriter` writes.
    let deviations: Int
}

/// The directory of a zip archive, validated before anything is extracted.
///
/// Invariants of every instance:
/// 1. Names are safe and unique after folding, and no file is also a folder.
/// 2. Every entry is a regular file or folder, not encrypted, stored or deflated, and within the
///    limits according to its declared sizes.
/// 3. Local and central headers agree. The entries follow each other from the first byte on without
///    gap or overlap, followed by the directory, which ends the file.
package struct ZipDirectory: Sendable {
    /// The entries in the order of the file.
    package let entries: [ZipEntry]
    package let path: String

    /// The entries of an archive written by `ArchiveWriter` in which exactly one field that does
    /// not depend on the content differs, which indicates damage. Entries that another program has
    /// added differ in several fields, such as times and modes, and are not included.
    package var alteredEntries: [ZipEntry] {
        entries.contains { $0.deviations == 0 } ? entries.filter { $0.deviations == 1 } : []
    }

    package subscript(_ name: String) -> ZipEntry? { entries.first { $0.name == name } }

    /// Reads and validates the directory. `allowing` returns whether the archive may contain an
    /// entry with a name.
    /// - Throws: `ArchiveError` with the name of the entry.
    package init(_ file: File, limits: ArchiveLimits = ArchiveLimits(), allowing: (String) -> Bool = { _ in true })
        throws
    {
        var parser = ZipDirectoryParser(file: file, limits: limits)
        do {
            entries = try parser.parse(allowing: allowing)
        } catch let error as FileSystemError {
            throw ArchiveError(.inputOutput, "can't be read", path: file.path, underlying: error)
        }
        path = file.path
    }

    /// Whether the bytes begin like a zip archive.
    package static func begins(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: [0x50, 0x4b, 3, 4]) || bytes.starts(with: [0x50, 0x4b, 5, 6])
    }
}
