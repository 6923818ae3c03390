package import FileSystem

/// One entry of an archive, as its directory and its own header agree on it.
package struct ZipEntry: Sendable, Hashable {
    package let name: String
    package let isDirectory: Bool
    package let method: CompressionMethod
    package let size: Int64
    package let compressedSize: Int64
    package let crc32: UInt32
    /// Where the entry's header begins.
    package let headerOffset: Int64
    /// Where the entry's bytes, compressed or not, begin.
    package let dataOffset: Int64
    /// How many fields of its records that say nothing of the content are not as `ArchiveWriter`
    /// fills them.
    let deviations: Int
}

/// The list of what is in a zip archive, checked before anything is taken out.
///
/// Invariants, of an instance that exists:
/// 1. Names are safe, unique after folding, and no file is also a folder.
/// 2. Every entry is a plain file or folder, not encrypted, stored or deflated, and keeps to the
///    limits as far as sizes tell.
/// 3. Local and central records agree; the entries lie one after the other from the first byte on
///    without gap or overlap, and the directory follows them and ends the file.
package struct ZipDirectory: Sendable {
    /// In the order in which they lie in the file.
    package let entries: [ZipEntry]
    package let path: String

    /// Of an archive that `ArchiveWriter` made, the entries of which a single field was altered
    /// that says nothing of the content. What another program has put into such an archive has
    /// other times, modes and more, and is not among them.
    package var alteredEntries: [ZipEntry] {
        entries.contains { $0.deviations == 0 } ? entries.filter { $0.deviations == 1 } : []
    }

    package subscript(_ name: String) -> ZipEntry? { entries.first { $0.name == name } }

    /// Reads and checks the directory. `allowing` may refuse names that have no place in such an
    /// archive.
    /// - Throws: `ArchiveError`, naming the entry.
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

    /// Whether the file begins as a zip archive does.
    package static func begins(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: [0x50, 0x4b, 3, 4]) || bytes.starts(with: [0x50, 0x4b, 5, 6])
    }
}
