internal import CArchive
internal import Coding
package import FileSystem

/// Takes entries out of a zip archive that `ZipDirectory` has found good. The unpacking is libarchive's; what it produces is held
/// against the directory: order, sizes and checksums.
package struct ArchiveReader: Sendable {
    package let directory: ZipDirectory
    private let file: File

    /// Opens an archive and checks its directory.
    package init(_ file: File, limits: ArchiveLimits = ArchiveLimits(), allowing: (String) -> Bool = { _ in true }) throws {
        self.file = file
        directory = try ZipDirectory(file, limits: limits, allowing: allowing)
    }

    /// The content of one entry of at most `limit` bytes.
    package func read(_ name: String, limit: Int) throws -> [UInt8] {
        guard let entry = directory[name], !entry.isDirectory else {
            throw ArchiveError(.missingEntry, "is missing", path: directory.path, entry: name)
        }
        guard entry.size <= limit else {
            throw ArchiveError(.tooLarge, "has \(entry.size) bytes, \(limit) are allowed", path: directory.path, entry: name, limit: Int64(limit))
        }
        var bytes: [UInt8] = []
        try translating {
            let stream = try EntryStream(file, directory)
            while let found = try stream.next(), found != entry {}
            try stream.content { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Unpacks everything into the folder `target`, which is made here and must not be there. Modes are 0700 and 0600. On failure
    /// nothing is left. Not made durable.
    /// - Parameter progress: Told after each piece how many bytes it had; may throw to end the unpacking.
    package func extract(to target: String, progress: (Int64) throws -> Void = { _ in }) throws {
        try translating {
            try Disk.makeDirectory(target, mode: 0o700)
            do {
                let stream = try EntryStream(file, directory)
                while let entry = try stream.next() { try extract(entry, stream, to: target, progress) }
            } catch {
                // The first error is the one that counts.
                try? Disk.removeTree(target)
                throw error
            }
        }
    }

    private func extract(_ entry: ZipEntry, _ stream: EntryStream, to target: String, _ progress: (Int64) throws -> Void) throws {
        let path = FilePath.join(target, entry.isDirectory ? String(entry.name.dropLast()) : entry.name)
        try Disk.makeDirectories(entry.isDirectory ? path : FilePath.parent(path), mode: 0o700)
        guard !entry.isDirectory else { return }
        let file = try File(path, .create(mode: 0o600))
        defer { file.close() }
        try stream.content { piece in
            try file.append(piece)
            try progress(Int64(piece.count))
        }
    }

    private func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileSystemError {
            throw ArchiveError(.inputOutput, error.message, path: directory.path, underlying: error)
        }
    }
}
