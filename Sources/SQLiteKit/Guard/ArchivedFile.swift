internal import CSQLite
internal import FileSystem
internal import SQLiteFile

/// The guard VFS's data in the memory of a SQLite file object, for a database within an archive.
///
/// Invariants:
/// 1. It begins with the pointer to its methods, as every `sqlite3_file` does, and fits into the
///    memory that the guard VFS requests.
/// 2. `database` is retained from `open` to `xClose`.
/// 3. Nothing is ever written: an editor has a separate WAL, and a checkpoint fails with
///    `SQLITE_READONLY`.
/// 4. There are no locks: an editor has the document's lock, and the archive does not change.
struct ArchivedFile {
    private var methods: UnsafePointer<sqlite3_io_methods>?
    private var database: Unmanaged<ArchivedDatabase>
    private var vfs: Unmanaged<GuardVFS>
    /// SQLite's own copy of the name, valid until the file is closed.
    private var name: UnsafePointer<CChar>
    /// Whether the header is reported as that of a database in WAL mode, regardless of its content.
    private var needsWAL: Bool
    /// The number of commits of the connection.
    private var commits = 0

    private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<ArchivedFile> {
        guard let file else { preconditionFailure("SQLite calls a method with its file") }
        return UnsafeMutableRawPointer(file).assumingMemoryBound(to: ArchivedFile.self)
    }

    static func isOne(_ file: UnsafeMutablePointer<sqlite3_file>) -> Bool { file.pointee.pMethods == methods }

    static func commits(of file: UnsafeMutablePointer<sqlite3_file>) -> Int { of(file).pointee.commits }

    /// Initializes `file` for `database`.
    static func open(
        _ file: UnsafeMutablePointer<sqlite3_file>, _ database: ArchivedDatabase, vfs: GuardVFS,
        name: UnsafePointer<CChar>, needsWAL: Bool
    ) {
        UnsafeMutableRawPointer(file).initializeMemory(
            as: ArchivedFile.self,
            to: ArchivedFile(
                methods: methods, database: .passRetained(database), vfs: .passUnretained(vfs), name: name,
                needsWAL: needsWAL))
    }

    private func read(_ bytes: UnsafeMutableRawPointer, _ count: Int32, _ offset: Int64) -> Int32 {
        let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        guard let read = database.takeUnretainedValue().read(into: buffer, at: offset) else { return ResultCode.ioRead }
        if needsWAL {
            let versions = Int64(DatabaseHeader.versionsOffset)
            for place in versions...versions + 1 where place >= offset && place < offset + Int64(read) {
                buffer[Int(place - offset)] = DatabaseHeader.walVersion
            }
        }
        if read == buffer.count { return SQLITE_OK }
        // SQLite requires the rest of the buffer to be zero.
        UnsafeMutableRawBufferPointer(rebasing: buffer[read...]).initializeMemory(as: UInt8.self, repeating: 0)
        return ResultCode.ioShortRead
    }

    /// Never freed, because SQLite keeps it for the life of the process, and only read.
    nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
        var table = sqlite3_io_methods()
        // No shared memory: with exclusive locking, the index of the WAL is in SQLite's private
        // memory.
        table.iVersion = 1
        table.xClose = { file in
            let own = ArchivedFile.of(file).pointee
            own.vfs.takeUnretainedValue().forget(String(cString: own.name))
            own.database.release()
            file?.pointee.pMethods = nil
            return SQLITE_OK
        }
        table.xRead = { file, bytes, count, offset in
            guard let bytes else { return SQLITE_ERROR }
            return ArchivedFile.of(file).pointee.read(bytes, count, offset)
        }
        table.xWrite = { _, _, _, _ in SQLITE_READONLY }
        table.xTruncate = { _, _ in SQLITE_READONLY }
        table.xSync = { _, _ in SQLITE_OK }
        table.xFileSize = { file, answer in
            answer?.pointee = ArchivedFile.of(file).pointee.database.takeUnretainedValue().length
            return SQLITE_OK
        }
        table.xLock = { _, _ in SQLITE_OK }
        table.xUnlock = { _, _ in SQLITE_OK }
        table.xCheckReservedLock = { _, answer in
            answer?.pointee = 0
            return SQLITE_OK
        }
        table.xFileControl = { file, operation, argument in
            if operation == SQLITE_FCNTL_COMMIT_PHASETWO { ArchivedFile.of(file).pointee.commits += 1 }
            guard operation == SQLITE_FCNTL_PERSIST_WAL else { return SQLITE_NOTFOUND }
            argument?.assumingMemoryBound(to: Int32.self).pointee = 1
            return SQLITE_OK
        }
        table.xSectorSize = { _ in 4096 }
        // As SQLite's own files report: no padding of the WAL is needed.
        table.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
        let address = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        address.initialize(to: table)
        return UnsafePointer(address)
    }()
}
