/// The location of an uncompressed entry's bytes in the archive file.
package struct StoredRange: Sendable, Hashable {
    package let offset: Int64
    package let length: Int64
}

extension ZipDirectory {
    /// The location of an uncompressed entry, which can be read in place; nil if the entry is
    /// compressed.
    /// - Throws: `ArchiveError.missingEntry` if there is no such file.
    package func storedRange(of name: String) throws -> StoredRange? {
        guard let entry = self[name], !entry.isDirectory else {
            throw ArchiveError(.missingEntry, "is missing", path: path, entry: name)
        }
        return entry.method == .stored ? StoredRange(offset: entry.dataOffset, length: entry.size) : nil
    }
}
