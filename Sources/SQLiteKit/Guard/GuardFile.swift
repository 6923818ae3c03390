internal import CSQLite
internal import FileSystem
internal import Glibc
internal import Synchronization

/// The guard VFS's data, stored after SQLite's own file object, and the few methods that replace
/// SQLite's.
///
/// Invariants:
/// 1. The memory of an open file has `real.szOsFile` bytes for SQLite, rounded up to 16, followed
///    by one `GuardFile`.
/// 2. `pMethods` of an open named file is a copy of SQLite's own table in which only the methods
///    below differ; `original` is that table.
struct GuardFile {
    /// The offset of a `GuardFile` from the start of the file object.
    static let offset = (Int(GuardVFS.real?.pointee.szOsFile ?? 0) + 15) & ~15

    let original: UnsafePointer<sqlite3_io_methods>
    private var vfs: Unmanaged<GuardVFS>
    /// SQLite's own copy of the name, valid until the file is closed.
    private var name: UnsafePointer<CChar>
    private var isStore: Bool
    /// Whether the wal-index is in SQLite's private memory, because there is no `-shm`.
    private(set) var hasPrivateIndex = false
    /// For a main file: the number of commits of its connection.
    private(set) var commits = 0
    /// For a main file that is written: the number of blocks of the shared wal-index that are known
    /// to exist; nil if there is none.
    private(set) var indexBlocks: Int32?
    /// For a WAL that is written.
    var tail: WALTail?
    /// Whether the file was created and its name may not be durable.
    private var hasNewName: Bool

    private init(
        original: UnsafePointer<sqlite3_io_methods>, vfs: GuardVFS, name: UnsafePointer<CChar>, isStore: Bool,
        main: UnsafeMutablePointer<sqlite3_file>?, hasNewName: Bool
    ) {
        self.original = original
        self.hasNewName = hasNewName
        tail = main.map { WALTail(main: $0) }
        self.vfs = Unmanaged.passUnretained(vfs)
        self.name = name
        self.isStore = isStore
    }

    private var path: String { String(cString: name) }

    static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<GuardFile> {
        guard let file else { preconditionFailure("SQLite calls a method with its file") }
        return (UnsafeMutableRawPointer(file) + offset).assumingMemoryBound(to: GuardFile.self)
    }

    /// Makes the name of a new WAL or journal durable. SQLite does that, too, and passes over a
    /// failure: a commit would be acknowledged that a power failure takes away with the name.
    private mutating func synchronizeName() -> Int32 {
        guard hasNewName else { return SQLITE_OK }
        do { try Disk.synchronizeDirectory(FilePath.parent(path)) } catch {
            LastSystemError.note((error as? FileSystemError)?.errno ?? EIO)
            return ResultCode.ioFsync
        }
        hasNewName = false
        return SQLITE_OK
    }

    /// Wraps a file that SQLite's own VFS has just opened. `main` is the database of a WAL that
    /// will be written, `hasNewName` says whether a WAL or journal was created.
    static func adopt(
        _ file: UnsafeMutablePointer<sqlite3_file>, vfs: GuardVFS, name: UnsafePointer<CChar>, isStore: Bool,
        main: UnsafeMutablePointer<sqlite3_file>?, hasNewName: Bool
    ) {
        guard let original = file.pointee.pMethods else { return }
        (UnsafeMutableRawPointer(file) + offset).initializeMemory(
            as: GuardFile.self,
            to: GuardFile(
                original: original, vfs: vfs, name: name, isStore: isStore, main: main, hasNewName: hasNewName))
        file.pointee.pMethods = methods(over: original, isReading: vfs.isReading)
    }

    /// The result code for an injected fault.
    static func result(of fault: Fault, _ code: Int32) -> Int32 {
        guard case .error(let number) = fault else { return code }
        errno = number
        return noting(number == ENOSPC ? SQLITE_FULL : code)
    }

    private static func noting(_ result: Int32) -> Int32 {
        if result != SQLITE_OK, [SQLITE_IOERR, SQLITE_FULL].contains(result & 0xFF), result != ResultCode.ioShortRead {
            LastSystemError.note(errno)
        }
        return result
    }

    // MARK: Tables of methods

    private struct Key: Hashable {
        let original: UInt
        let isReading: Bool
    }

    /// Addresses of the tables, which are never freed.
    private static let tables = Mutex<[Key: UInt]>([:])

    private static func methods(over original: UnsafePointer<sqlite3_io_methods>, isReading: Bool) -> UnsafePointer<
        sqlite3_io_methods
    >? {
        let key = Key(original: UInt(bitPattern: original), isReading: isReading)
        let address = tables.withLock { tables in
            if let known = tables[key] { return known }
            let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            table.initialize(to: patched(original.pointee, isReading: isReading))
            tables[key] = UInt(bitPattern: table)
            return UInt(bitPattern: table)
        }
        return UnsafePointer(bitPattern: address)
    }

    private static func patched(_ original: sqlite3_io_methods, isReading: Bool) -> sqlite3_io_methods {
        var table = original
        // Version 3 maps files into memory: another process could terminate this one by truncating
        // a mapped file. A newer library may have more methods than this table has room for.
        table.iVersion = min(2, original.iVersion)
        table.xClose = { file in
            let own = GuardFile.of(file).pointee
            let path = own.path
            file?.pointee.pMethods = own.original
            let result = own.original.pointee.xClose(file)
            if own.isStore {
                own.vfs.takeUnretainedValue().forget(path)
                MainFiles.closed(path)
            }
            return result
        }
        table.xRead = { file, bytes, count, offset in
            let own = GuardFile.of(file)
            if let fault = FaultInjection.fault(.read, own.pointee.path) {
                return GuardFile.result(of: fault, ResultCode.ioRead)
            }
            let result = GuardFile.noting(own.pointee.original.pointee.xRead(file, bytes, count, offset))
            // SQLite reports this as a damaged database although only the device failed: a WAL that
            // is temporarily unreadable would be treated as one of another database.
            return result == ResultCode.ioCorruptFileSystem ? ResultCode.ioRead : result
        }
        table.xWrite = { file, bytes, count, offset in
            let own = GuardFile.of(file)
            switch FaultInjection.fault(.write, own.pointee.path) {
            case nil:
                let refusal =
                    bytes.flatMap { own.pointee.tail?.willWrite($0, count: Int(count), at: offset) } ?? SQLITE_OK
                guard refusal == SQLITE_OK else { return refusal }
                return GuardFile.noting(own.pointee.original.pointee.xWrite(file, bytes, count, offset))
            case .error(let number)?:
                return GuardFile.result(of: .error(number), ResultCode.ioWrite)
            case .short(let short)?:
                // Simulates a full disk: a part is written, then the error is returned.
                _ = own.pointee.original.pointee.xWrite(file, bytes, min(count, Int32(clamping: short)), offset)
                return SQLITE_FULL
            }
        }
        table.xTruncate = { file, size in
            let own = GuardFile.of(file)
            if let fault = FaultInjection.fault(.truncate, own.pointee.path) {
                return GuardFile.result(of: fault, ResultCode.ioTruncate)
            }
            return GuardFile.noting(own.pointee.original.pointee.xTruncate(file, size))
        }
        table.xSync = { file, flags in
            let own = GuardFile.of(file)
            let fault = FaultInjection.fault(.fsync, own.pointee.path)
            var result =
                fault.map { GuardFile.result(of: $0, ResultCode.ioFsync) }
                ?? GuardFile.noting(own.pointee.original.pointee.xSync(file, flags))
            if result == SQLITE_OK { result = own.pointee.synchronizeName() }
            if result == SQLITE_OK { own.pointee.tail?.synchronized() } else { own.pointee.withdrawRefusedCommit(file) }
            return result
        }
        table.xFileControl = { file, operation, argument in
            let own = GuardFile.of(file)
            if operation == SQLITE_FCNTL_COMMIT_PHASETWO { own.pointee.commits += 1 }
            return own.pointee.original.pointee.xFileControl(file, operation, argument)
        }
        if table.iVersion >= 2 { if isReading { patchSharedMemory(&table) } else { patchIndexGrowth(&table) } }
        return table
    }

    /// Counts the blocks of the shared wal-index that a writing connection has mapped, and can
    /// simulate a failure to enlarge it.
    private static func patchIndexGrowth(_ table: inout sqlite3_io_methods) {
        table.xShmMap = { file, block, size, extend, answer in
            let own = GuardFile.of(file)
            if extend != 0, block >= own.pointee.indexBlocks ?? 0,
                let fault = FaultInjection.fault(.write, own.pointee.path + "-shm")
            {
                return GuardFile.result(of: fault, ResultCode.ioWrite)
            }
            let result = own.pointee.original.pointee.xShmMap(file, block, size, extend, answer)
            if result == SQLITE_OK, answer?.pointee != nil {
                own.pointee.indexBlocks = max(own.pointee.indexBlocks ?? 0, block + 1)
            }
            // SQLite only reports that the file could not be enlarged.
            return GuardFile.noting(result == ResultCode.ioIndexSize && errno == ENOSPC ? SQLITE_FULL : result)
        }
        table.xShmUnmap = { file, delete in
            let own = GuardFile.of(file)
            own.pointee.indexBlocks = nil
            return own.pointee.original.pointee.xShmUnmap(file, delete)
        }
    }

    /// If there is no `-shm`, this tells SQLite that it can't be initialized: SQLite then builds an
    /// index of the WAL in its private memory, each time anew. Once a writer has created a `-shm`,
    /// SQLite's own methods are used, and the writer's locks are respected.
    private static func patchSharedMemory(_ table: inout sqlite3_io_methods) {
        table.xShmMap = { file, region, size, extend, answer in
            let own = GuardFile.of(file)
            let kind: FileKind?
            do { kind = try Disk.kind(of: own.pointee.path + "-shm") } catch { return SQLITE_CANTOPEN }
            own.pointee.hasPrivateIndex = kind == nil
            switch kind {
            case nil:
                answer?.pointee = nil
                return ResultCode.readOnlyCannotInitialize
            case .file?:
                let result = own.pointee.original.pointee.xShmMap(file, region, size, 0, answer)
                // Another connection of this process may have mapped it for writing. A reader must
                // not write, and the result must not change from one call to the next.
                return result == SQLITE_OK ? SQLITE_READONLY : result
            default: return SQLITE_CANTOPEN
            }
        }
        table.xShmLock = { file, offset, count, flags in
            let own = GuardFile.of(file)
            return own.pointee.hasPrivateIndex
                ? SQLITE_OK : own.pointee.original.pointee.xShmLock(file, offset, count, flags)
        }
        table.xShmUnmap = { file, _ in
            let own = GuardFile.of(file)
            own.pointee.hasPrivateIndex = false
            // Never deletes: the file belongs to other connections.
            return own.pointee.original.pointee.xShmUnmap(file, 0)
        }
    }
}
