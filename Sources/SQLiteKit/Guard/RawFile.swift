internal import CSQLite
internal import SQLiteFile

/// Direct access to one of SQLite's open files: it reads the file's content, not SQLite's page
/// cache.
///
/// It must not outlive its connection, nor be used while the connection is in use.
struct RawFile: RandomAccessFile {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: UnsafePointer<sqlite3_io_methods>
    private let errors: ErrorSource

    /// Nil if SQLite has not opened the file.
    init?(_ file: UnsafeMutablePointer<sqlite3_file>?, errors: ErrorSource) {
        guard let file, let methods = file.pointee.pMethods else { return nil }
        self.file = file
        self.methods = methods
        self.errors = errors
    }

    /// Whether the file is part of an archive.
    var isArchived: Bool { ArchivedFile.isOne(file) }

    func size() throws -> Int64 {
        var size: Int64 = 0
        let result = methods.pointee.xFileSize(file, &size)
        if result != SQLITE_OK { throw errors.error(result, sql: nil) }
        return size
    }

    /// Fills `buffer` from `offset`; bytes past the end of the file are zero.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        let result = methods.pointee.xRead(file, buffer.baseAddress, Int32(clamping: buffer.count), offset)
        if result != SQLITE_OK, result != ResultCode.ioShortRead { throw errors.error(result, sql: nil) }
    }
}
