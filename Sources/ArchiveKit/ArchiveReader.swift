internal import CArchive
internal import Coding
package import FileSystem
internal import Foundation

/// Takes entries out of a zip archive that `ZipDirectory` has found good. The unpacking is
/// libarchive's; what it produces is held against the directory: order, sizes and checksums.
package struct ArchiveReader: Sendable {
    package let directory: ZipDirectory
    private let file: File

    /// Opens an archive and checks its directory.
    package init(_ file: File, limits: ArchiveLimits = ArchiveLimits(), allowing: (String) -> Bool = { _ in true })
        throws
    {
        self.file = file
        directory = try ZipDirectory(file, limits: limits, allowing: allowing)
    }

    /// The content of one entry of at most `limit` bytes.
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

    /// One file, to be read by itself and in pieces wherever it lies.
    package func input(of entry: ZipEntry) throws -> EntryInput {
        guard !entry.isDirectory else {
            throw ArchiveError(.missingEntry, "is a folder", path: directory.path, entry: entry.name)
        }
        return EntryInput(entry, in: file, path: directory.path)
    }

    /// Reads an entry that is not compressed to its end and throws `.damaged` where its checksum is
    /// wrong.
    package func check(_ entry: ZipEntry) throws { try translating { try storedContent(of: entry) { _ in } } }

    /// Hands the content of an entry that is not compressed to `sink`, piece by piece, and holds it
    /// against its checksum. It lies in the archive as it is: libarchive would only copy it once
    /// more.
    private func storedContent(of entry: ZipEntry, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
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

    /// An entry to be put into another archive as it lies here.
    package func part(_ entry: ZipEntry) -> ArchivePart {
        ArchivePart(name: entry.name, content: .entry(entry, of: file))
    }

    /// Unpacks those files whose names `including` picks into a folder that is there. Modes are
    /// 0700 and 0600. Not made durable.
    package func extract(into folder: String, including: (String) -> Bool) throws {
        try translating {
            let stream = try EntryStream(file, directory)
            while let entry = try stream.next() {
                if including(entry.name) {
                    try extract(entry, stream, to: folder, nil, isSynchronized: false, nil) { _ in }
                }
            }
        }
    }

    /// Unpacks everything into the folder `target`, which is made here and must not be there. On
    /// failure nothing is left. Not made durable.
    /// - Parameters:
    ///   - protection: The modes of files and folders, less the process's mask; nil for this user
    ///     alone.
    ///   - isSynchronized: Whether the caller makes it durable next: then the disk begins
    ///     meanwhile.
    ///   - check: Gives what looks at the content of a file while it is unpacked; nil for files
    ///     that nobody looks at.
    ///   - progress: Told after each piece how many bytes it had; may throw to end the unpacking.
    package func extract(
        to target: String, _ protection: FileProtection? = nil, isSynchronized: Bool = false,
        checking check: (ZipEntry) throws -> ContentCheck? = { _ in nil },
        progress: (Int64) throws -> Void = { _ in }
    ) throws {
        try translating {
            try Disk.makeDirectory(target, mode: protection?.folderMode ?? 0o700)
            do {
                let stream = try EntryStream(file, directory)
                while let entry = try stream.next() {
                    try extract(
                        entry, stream, to: target, protection, isSynchronized: isSynchronized, check(entry), progress)
                }
            } catch {
                // The first error is the one that counts.
                try? Disk.removeTree(target)
                throw error
            }
        }
    }

    private func extract(
        _ entry: ZipEntry, _ stream: EntryStream, to target: String, _ protection: FileProtection?,
        isSynchronized: Bool, _ check: ContentCheck?,
        _ progress: (Int64) throws -> Void
    ) throws {
        let path = FilePath.join(target, entry.isDirectory ? String(entry.name.dropLast()) : entry.name)
        try Disk.makeDirectories(
            entry.isDirectory ? path : FilePath.parent(path), mode: protection?.folderMode ?? 0o700)
        guard !entry.isDirectory else { return }
        let file = try File(path, .create(mode: protection?.fileMode ?? 0o600))
        defer { file.close() }
        var early = EarlyWriting()
        func write(_ piece: UnsafeRawBufferPointer) throws {
            try file.append(piece)
            try check?.take(piece)
            if isSynchronized { early.wrote(piece.count, to: file) }
            try progress(Int64(piece.count))
        }
        if entry.method == .stored { try storedContent(of: entry, write) } else { try stream.content(write) }
        try check?.finish()
        if isSynchronized { file.startSynchronizing() }
    }

    private func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileSystemError {
            throw ArchiveError(.inputOutput, error.message, path: directory.path, underlying: error)
        }
    }
}
