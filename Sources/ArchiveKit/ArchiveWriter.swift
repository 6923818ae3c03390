internal import Coding
package import FileSystem

/// One file to be put into an archive.
package struct ArchivePart: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        /// A plain file. It must not change while it is packed, and must not be a store that is
        /// open.
        case file(path: String)
        /// An entry of another archive, as its bytes lie there.
        case entry(ZipEntry, of: File)
    }

    package let name: String
    package let content: Content
    /// Whether the bytes stay as they are; else they are compressed where that makes them smaller.
    package let isStored: Bool

    package init(name: String, content: Content, isStored: Bool = false) {
        self.name = name
        self.content = content
        self.isStored = isStored
    }
}

/// Writes a zip archive whose bytes follow from its content alone: fixed times and modes, the given
/// order, no extra fields but Zip64's.
///
/// libarchive's own writer puts extra fields on every entry, so that the media type of the first
/// one would not stand at byte 38.
///
///     try ArchiveWriter.write([ArchivePart(name: "mimetype", content: .bytes(type), isStored: true), …], to: file)
package enum ArchiveWriter {
    /// Appends the archive to `file`, which must be empty. Not made durable.
    /// - Parameters:
    ///   - check: Gives what looks at the content of a part while it is packed; nil for parts that
    ///     nobody looks at.
    ///   - progress: Told after each piece how many bytes of content it had; may throw to end the
    ///     writing.
    /// - Throws: `ArchiveError` for a bad or doubled name or a part that changes meanwhile; what
    ///   reading and writing throw.
    package static func write(
        _ parts: [ArchivePart], to file: File, limits: ArchiveLimits = ArchiveLimits(),
        checking check: (ArchivePart) throws -> ContentCheck? = { _ in nil },
        progress: @escaping (Int64) throws -> Void = { _ in }
    ) throws {
        guard parts.count <= limits.entries else {
            throw ArchiveError(
                .tooMany, "\(parts.count) entries, \(limits.entries) are allowed", path: file.path,
                limit: Int64(limits.entries))
        }
        var names = Set<String>()
        for part in parts {
            if let objection = EntryName.objection(to: part.name, limits) {
                throw ArchiveError(.unsafeName, objection, path: file.path, entry: part.name)
            }
            guard names.insert(EntryName.folded(part.name)).inserted else {
                throw ArchiveError(.duplicateName, "comes twice", path: file.path, entry: part.name)
            }
        }
        var packer = Packer(file: file, progress: progress)
        for part in parts { try packer.add(part, check(part)) }
        try packer.finish()
    }
}
