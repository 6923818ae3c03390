internal import CArchive
internal import Coding
package import FileSystem
internal import Foundation

/// Extracts entries from a zip archive that `ZipDirectory` has validated. libarchive decompresses
/// them. The order, sizes and checksums of the result are compared with the directory.
package struct ArchiveReader: Sendable {
    package let directory: ZipDirectory
    let file: File

    /// Opens an archive and validates its directory.
    package init(_ file: File, limits: ArchiveLimits = ArchiveLimits(), allowing: (String) -> Bool = { _ in true })
        throws
    {
        self.file = file
        directory = try ZipDirectory(file, limits: limits, allowing: allowing)
    }

    /// The content of an entry, which may have at most `limit` bytes.
    package func read(_ name: String, limit: Int) throws -> [UInt8] {
        guard let entry = directory[name], !entry.isDirectory else {
            throw ArchiveError(.missingEntry, "is missing", path: directory.path, entry: name)
        }
        guard entry.size <= limit else {
            throw ArchiveError(
                .tooLarge, "has \(entry.size) bytes, \(limit) are allowed", path: directory.path, entry: name,
                limit: Int64(limit))
        }
        var bytes: [UInt8] = []
        try translating {
            let stream = try EntryStream(file, directory)
            while let found = try stream.next(), found != entry {}
            try stream.content { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// A random-access reader for one file.
    package func input(of entry: ZipEntry) throws -> EntryInput {
        guard !entry.isDirectory else {
            throw ArchiveError(.missingEntry, "is a folder", path: directory.path, entry: entry.name)
        }
        return EntryInput(entry, in: file, path: directory.path)
    }

    /// Reads an uncompressed entry completely and throws `.damaged` if its checksum is wrong.
    package func check(_ entry: ZipEntry) throws { try translating { try storedContent(of: entry) { _ in } } }

    /// Passes the content of an uncompressed entry to `sink`, in pieces, and verifies its checksum.
    /// The content is read from the file directly, because libarchive would copy it once more.
    func storedContent(of entry: ZipEntry, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
        defer { buffer.deallocate() }
        var checksum = CRC32()
        var done: Int64 = 0
        while done < entry.size {
            let wanted = Int(min(Int64(buffer.count), entry.size - done))
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            guard try file.read(into: piece, at: entry.dataOffset + done) == wanted else {
                throw ArchiveError(.truncated, "ends too early", path: directory.path, entry: entry.name)
            }
            checksum.update(UnsafeRawBufferPointer(piece))
            try sink(UnsafeRawBufferPointer(piece))
            done += Int64(wanted)
        }
        guard checksum.value == entry.crc32 else { throw damaged(entry) }
    }

    private func damaged(_ entry: ZipEntry) -> ArchiveError {
        ArchiveError(.damaged, "its checksum is wrong", path: directory.path, entry: entry.name)
    }

    /// An entry as a part of another archive, copied without decompression.
    package func part(_ entry: ZipEntry) -> ArchivePart {
        ArchivePart(name: entry.name, content: .entry(entry, of: file))
    }

    func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileSystemError {
            throw ArchiveError(.inputOutput, error.message, path: directory.path, underlying: error)
        }
    }
}
