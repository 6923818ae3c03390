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

    /// Whether the file is read with a wal-index in SQLite's private memory.
    var hasPrivateIndex: Bool { !isArchived && GuardFile.of(file).pointee.hasPrivateIndex }

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

    // MARK: Locks

    /// The lock that the connection has on the file; nil if it is unknown.
    var lockLevel: Int32? {
        var level: Int32 = -1
        return methods.pointee.xFileControl(file, SQLITE_FCNTL_LOCKSTATE, &level) == SQLITE_OK ? level : nil
    }

    /// Raises the connection's lock on the file. Returns SQLite's result code.
    func lock(_ level: Int32) -> Int32 { methods.pointee.xLock(file, level) }

    /// Lowers the connection's lock on the file.
    func unlock(_ level: Int32) { _ = methods.pointee.xUnlock(file, level) }

    // MARK: The shared wal-index

    /// The wal-index in memory that SQLite shares between processes; nil if there is none.
    var sharedIndex: WALIndex? {
        guard methods.pointee.iVersion >= 2 else { return nil }
        return WALIndex { number in
            var block: UnsafeMutableRawPointer?
            guard methods.pointee.xShmMap(file, number, WALIndex.blockSize, 0, &block) == SQLITE_OK else { return nil }
            return block.map { UnsafeRawPointer($0) }
        }
    }

    /// Orders this thread's reads of the shared index after all earlier ones.
    func waitForSharedIndex() { methods.pointee.xShmBarrier(file) }
}
