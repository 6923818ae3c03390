internal import Coding
package import FileSystem

/// A file to be added to an archive.
package struct ArchivePart: Sendable {
    package enum Content: Sendable {
        case bytes([UInt8])
        /// A regular file. It must not change while it is packed, and must not be a store that is
        /// open.
        case file(path: String)
        /// An entry of another archive, copied without decompression.
        case entry(ZipEntry, of: File)
    }

    package let name: String
    package let content: Content
    /// Whether the content is never compressed. Otherwise it is compressed if that makes it
    /// smaller.
    package let isStored: Bool

    package init(name: String, content: Content, isStored: Bool = false) {
        self.name = name
        self.content = content
        self.isStored = isStored
    }
}

/// Writes zip archives that depend only on their content: with fixed times and modes, in the given
/// order, and without extra fields except those of Zip64.
///
/// libarchive's writer adds extra fields to every entry, so that the media type in the first entry
/// would not be at byte 38.
///
///     try ArchiveWriter.write([ArchivePart(name: "mimetype", content: .bytes(type), isStored: true), …], to: file)
package enum ArchiveWriter {
    /// Appends the archive to `file`, which must be empty. Does not synchronize the file.
    /// - Parameters:
    ///   - check: Returns a check for the content of a part; nil for no check.
    ///   - progress: Called with the content size of each packed piece; may throw to cancel.
    /// - Throws: `ArchiveError` for an invalid or duplicate name or a part that changes meanwhile;
    ///   errors of reading and writing.
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
        let output = FileAppender(file)
        // The caller closes the file, also after an error.
        defer { output.stop() }
        var packer = Packer(output, progress: progress)
        for part in parts { try packer.add(part, check(part)) }
        try packer.finish()
    }
}
