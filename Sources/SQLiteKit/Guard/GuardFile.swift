internal import CSQLite
internal import FileSystem
internal import Glibc
internal import Synchronization

/// What the guard VFS keeps behind the memory of SQLite's own file, and the few methods it puts in
/// the place of SQLite's.
///
/// Invariants:
/// 1. The memory of an open file is `real.szOsFile` bytes of SQLite's own, rounded up to 16,
///    followed by one `GuardFile`.
/// 2. `pMethods` of an open named file is a copy of SQLite's own table in which only the methods
///    below differ; `original` is that table.
struct GuardFile {
    /// Where a `GuardFile` stands behind the start of the file's memory.
    static let offset = (Int(GuardVFS.real?.pointee.szOsFile ?? 0) + 15) & ~15

    let original: UnsafePointer<sqlite3_io_methods>
    private var vfs: Unmanaged<GuardVFS>
    /// SQLite's own copy of the name, valid until the file is closed.
    private var name: UnsafePointer<CChar>
    private var isStore: Bool
    /// Whether the wal-index is in SQLite's private memory, since no `-shm` is there.
    private(set) var hasPrivateIndex = false
    /// Of a main file: how many commits its connection has done.
    private(set) var commits = 0
    /// Of a main file that is written: how many blocks of the shared wal-index are there for
    /// certain; nil where it has none.
    private(set) var indexBlocks: Int32?
    /// Of a WAL that is written.
    var tail: WALTail?

    private init(
        original: UnsafePointer<sqlite3_io_methods>, vfs: GuardVFS, name: UnsafePointer<CChar>, isStore: Bool,
        main: UnsafeMutablePointer<sqlite3_file>?
    ) {
        self.original = original
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

    /// Takes charge of a file that SQLite's own VFS has just opened; `main` is the database of a
    /// WAL that is to be written.
    static func adopt(
        _ file: UnsafeMutablePointer<sqlite3_file>, vfs: GuardVFS, name: UnsafePointer<CChar>, isStore: Bool,
        main: UnsafeMutablePointer<sqlite3_file>?
    ) {
        guard let original = file.pointee.pMethods else { return }
        (UnsafeMutableRawPointer(file) + offset).initializeMemory(
            as: GuardFile.self, to: GuardFile(original: original, vfs: vfs, name: name, isStore: isStore, main: main))
        file.pointee.pMethods = methods(over: original, isReading: vfs.isReading)
    }

    /// The result code for an injected fault.
    static func result(of fault: Fault, _ code: Int32) -> Int32 {
        guard case .error(let number) = fault else { return code }
        errno = number
        return noting(number == ENOSPC ? SQLITE_FULL : code)
    }

    /// The error number of the last file call that failed; SQLite itself forgets it when a commit
    /// fails. Of the whole process, so a hint only.
    static let lastSystemError = Atomic<Int32>(0)

    private static func noting(_ result: Int32) -> Int32 {
        if result != SQLITE_OK, [SQLITE_IOERR, SQLITE_FULL].contains(result & 0xFF), result != ResultCode.ioShortRead {
            lastSystemError.store(errno, ordering: .relaxed)
        }
        return result
    }

    // MARK: Tables of methods

    private struct Key: Hashable {
        let original: UInt
        let isReading: Bool
    }

    /// Addresses of tables, which live as long as the process.
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
        // The third version maps files into memory: one that is cut short by somebody else would
        // end the process. A newer library may have more methods than this table has room for.
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
            // SQLite makes “the database is damaged” of that, though only the device failed: a WAL
            // that can't be read just now would be taken for one from elsewhere.
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
                // As a full disk would have it: a part arrives, then the error.
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
            let result =
                fault.map { GuardFile.result(of: $0, ResultCode.ioFsync) }
                ?? GuardFile.noting(own.pointee.original.pointee.xSync(file, flags))
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

    /// What a connection that writes has of the shared wal-index is counted, and its growth can be
    /// made to fail.
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
            // SQLite says no more than that the file could not be made larger.
            return GuardFile.noting(result == ResultCode.ioIndexSize && errno == ENOSPC ? SQLITE_FULL : result)
        }
        table.xShmUnmap = { file, delete in
            let own = GuardFile.of(file)
            own.pointee.indexBlocks = nil
            return own.pointee.original.pointee.xShmUnmap(file, delete)
        }
    }

    /// Where there is no `-shm`, SQLite is told that it can't be initialized: it then builds an
    /// index of the WAL in its own memory, each time anew. Once a writer has made one, SQLite's own
    /// methods take over, and with them the writer's locks.
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
                // Another connection of this process may have mapped it for writing; a reader must
                // not, nor may the answer change from one call to the next.
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
            // Never deletes: the file is not ours.
            return own.pointee.original.pointee.xShmUnmap(file, 0)
        }
    }
}
