internal import CArchive
internal import Coding
internal import FileSystem

/// Iterates over the entries of an archive with libarchive, in the order of the file, and compares
/// each one with the directory.
final class EntryStream {
    private let archive: OpaquePointer
    private let source: ArchiveSource
    private let directory: ZipDirectory
    private var position = -1

    init(_ file: File, _ directory: ZipDirectory) throws {
        guard let archive = archive_read_new() else {
            throw ArchiveError(.unsupported, "libarchive can't be set up", path: directory.path)
        }
        self.archive = archive
        self.directory = directory
        source = try ArchiveSource(file)
        archive_read_support_format_zip_seekable(archive)
        // Resource forks are ordinary entries here.
        archive_read_set_format_option(archive, "zip", "mac-ext", nil)
        // `deinit` frees the archive while `source` still exists, so the unretained pointer is
        // always valid.
        archive_read_set_callback_data(archive, Unmanaged.passUnretained(source).toOpaque())
        archive_read_set_read_callback(archive, ArchiveSource.read)
        archive_read_set_seek_callback(archive, ArchiveSource.seek)
        archive_read_set_skip_callback(archive, ArchiveSource.skip)
        guard archive_read_open1(archive) == ARCHIVE_OK else { throw failure(nil) }
    }

    deinit { archive_read_free(archive) }

    /// Advances to the next entry; nil at the end.
    func next() throws -> ZipEntry? {
        position += 1
        guard position < directory.entries.count else { return nil }
        let expected = directory.entries[position]
        var found: OpaquePointer?
        let status = archive_read_next_header(archive, &found)
        // Warnings are about names in other character sets. Only the names in the directory are
        // used.
        guard let found, status == ARCHIVE_OK || status == ARCHIVE_WARN else { throw failure(expected.name) }
        if let name = archive_entry_pathname_utf8(found), String(cString: name) != expected.name {
            throw ArchiveError(.ambiguous, "libarchive reads another name", path: directory.path, entry: expected.name)
        }
        return expected
    }

    /// Passes the content of the current entry to `sink`, in pieces that are valid only during the
    /// call.
    func content(_ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        let entry = directory.entries[position]
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
        defer { buffer.deallocate() }
        var produced: Int64 = 0
        var checksum = CRC32()
        while true {
            let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
            if let error = source.failure { throw error }
            guard count >= 0 else { throw failure(entry.name) }
            if count == 0 { break }
            produced += Int64(count)
            guard produced <= entry.size else {
                throw ArchiveError(
                    .tooLarge, "unpacks to more than it declares", path: directory.path, entry: entry.name,
                    limit: entry.size)
            }
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            checksum.update(piece)
            try sink(piece)
        }
        guard produced == entry.size else {
            throw ArchiveError(.truncated, "ends too early", path: directory.path, entry: entry.name)
        }
        guard checksum.value == entry.crc32 else {
            throw ArchiveError(.damaged, "its checksum is wrong", path: directory.path, entry: entry.name)
        }
    }

    private func failure(_ entry: String?) -> any Error {
        if let error = source.failure { return error }
        let text =
            archive_error_string(archive).map { String(cString: $0).filter { !$0.isNewline } } ?? "can't be unpacked"
        return ArchiveError(.damaged, text, path: directory.path, entry: entry)
    }
}
