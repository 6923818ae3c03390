/// Where in an archive the bytes of an entry lie as they are.
package struct StoredRange: Sendable, Hashable {
    package let offset: Int64
    package let length: Int64
}

extension ZipDirectory {
    /// Where an entry lies that is not compressed, so that it can be read in place; nil where it is
    /// compressed.
    /// - Throws: `ArchiveError.missingEntry` where there is no such file.
    package func storedRange(of name: String) throws -> StoredRange? {
        guard let entry = self[name], !entry.isDirectory else {
            throw ArchiveError(.missingEntry, "is missing", path: path, entry: name)
        }
        return entry.method == .stored ? StoredRange(offset: entry.dataOffset, length: entry.size) : nil
    }
}
