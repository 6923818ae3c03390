internal import CSQLite
internal import FileSystem
internal import Glibc
internal import Synchronization

/// A shim over SQLite's own VFS that restricts every connection to its own files.
///
/// Invariants:
/// 1. A named file is opened only as a main database, or as the `-journal` or `-wal` of one that is
///    open through this VFS; never as a super-journal.
/// 2. No other file is looked up or deleted, so a planted journal can't name other files.
/// 3. A file opened by name must be a regular file, or not exist yet.
/// 4. The reading VFS opens files only for reading, creates and deletes nothing, and has a
///    wal-index in memory if there is no `-shm`.
/// 5. A database within an archive has no separate file: the archive is never written, its WAL is
///    the only file at its path, and it has no journal.
/// 6. A file keeps SQLite's own methods except those of `GuardFile`: reading and locking cost the
///    same.
///
/// Unchecked: initialized once before `register` passes it to SQLite, and only read afterwards.
/// Mutable state is protected by the mutexes.
final class GuardVFS: @unchecked Sendable {
    static let writing = GuardVFS(name: "folio-guard", isReading: false)
    static let reading = GuardVFS(name: "folio-reader", isReading: true)

    let isReading: Bool
    let name: UnsafePointer<CChar>
    private let table: UnsafeMutablePointer<sqlite3_vfs>
    /// SQLite's own VFS, shared by both guards. SQLite keeps it for the life of the process, and it
    /// is only read here.
    nonisolated(unsafe) static let real: UnsafeMutablePointer<sqlite3_vfs>? = sqlite3_vfs_find(nil)
    private let registration = Mutex<Int32?>(nil)
    /// The number of open connections to each main database.
    private let stores = Mutex<[String: Store]>([:])

    private struct Store {
        var count = 0
        let isArchived: Bool
    }

    private init(name: String, isReading: Bool) {
        self.isReading = isReading
        // Never freed, because SQLite requires it for the life of the process.
        self.name = UnsafePointer(strdup(name))
        table = .allocate(capacity: 1)
        table.initialize(to: sqlite3_vfs())
    }

    /// Registers the VFS with SQLite, once.
    func register() throws {
        let result = registration.withLock { done -> Int32 in
            if let done { return done }
            let result = registerNow()
            done = result
            return result
        }
        if result != SQLITE_OK { throw SQLiteError(result, handle: nil, path: "") }
    }

    private func registerNow() -> Int32 {
        guard let found = GuardVFS.real else { return SQLITE_ERROR }
        table.pointee.iVersion = min(2, found.pointee.iVersion)
        table.pointee.szOsFile = Int32(GuardFile.offset + MemoryLayout<GuardFile>.size)
        table.pointee.mxPathname = found.pointee.mxPathname
        table.pointee.zName = name
        table.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        table.pointee.xOpen = { vfs, name, file, flags, outFlags in
            GuardVFS.of(vfs).open(name, file, flags, outFlags)
        }
        table.pointee.xDelete = { vfs, name, sync in GuardVFS.of(vfs).delete(name, sync) }
        table.pointee.xAccess = { vfs, name, flags, answer in GuardVFS.of(vfs).access(name, flags, answer) }
        table.pointee.xFullPathname = { _, name, size, answer in
            let real = GuardVFS.real
            return real?.pointee.xFullPathname(real, name, size, answer) ?? SQLITE_ERROR
        }
        // Extensions are never loaded.
        table.pointee.xDlOpen = { _, _ in nil }
        table.pointee.xDlError = { _, size, message in if size > 0 { message?.pointee = 0 } }
        table.pointee.xDlSym = { _, _, _ in nil }
        table.pointee.xDlClose = { _, _ in }
        table.pointee.xRandomness = { _, count, bytes in
            let real = GuardVFS.real
            return real?.pointee.xRandomness(real, count, bytes) ?? 0
        }
        table.pointee.xSleep = { _, microseconds in
            let real = GuardVFS.real
            return real?.pointee.xSleep(real, microseconds) ?? 0
        }
        table.pointee.xCurrentTime = { _, time in
            let real = GuardVFS.real
            return real?.pointee.xCurrentTime(real, time) ?? SQLITE_ERROR
        }
        table.pointee.xGetLastError = { _, size, message in
            let real = GuardVFS.real
            return real?.pointee.xGetLastError(real, size, message) ?? 0
        }
        if table.pointee.iVersion >= 2, found.pointee.xCurrentTimeInt64 != nil {
            table.pointee.xCurrentTimeInt64 = { _, time in
                let real = GuardVFS.real
                return real?.pointee.xCurrentTimeInt64(real, time) ?? SQLITE_ERROR
            }
        } else {
            table.pointee.iVersion = 1
        }
        return sqlite3_vfs_register(table, 0)
    }

    private static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> GuardVFS {
        guard let context = vfs?.pointee.pAppData else {
            preconditionFailure("SQLite calls a VFS by the table that was registered")
        }
        return Unmanaged<GuardVFS>.fromOpaque(context).takeUnretainedValue()
    }

    // MARK: Methods

    private func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let real = GuardVFS.real, let file else { return SQLITE_ERROR }
        file.pointee.pMethods = nil
        // SQLite's temporary files have no name.
        guard let name else { return real.pointee.xOpen(real, name, file, flags, outFlags) }
        let path = String(cString: name)
        let isStore = flags & SQLITE_OPEN_MAIN_DB != 0
        if isStore, let text = sqlite3_uri_parameter(name, ArchivedDatabase.parameter) {
            guard let database = Int(String(cString: text)).flatMap(ArchivedDatabase.pending) else {
                return SQLITE_CANTOPEN
            }
            return open(database, name, file, flags, outFlags)
        }
        guard isStore || (flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL) != 0 && belongs(path)) else {
            return SQLITE_PERM
        }
        var isNew = false
        do {
            let kind = try Disk.kind(of: path)
            isNew = kind == nil && !isStore
            guard kind == .file || (kind == nil && !isReading && flags & SQLITE_OPEN_CREATE != 0) else {
                return SQLITE_CANTOPEN
            }
        } catch {
            return SQLITE_CANTOPEN
        }
        if let fault = FaultInjection.fault(.open, path) { return GuardFile.result(of: fault, SQLITE_CANTOPEN) }
        // Only the name that SQLite itself passes for a WAL can be converted to the database's file
        // object.
        let main = flags & SQLITE_OPEN_WAL != 0 && !isReading ? sqlite3_database_file_object(name) : nil
        var flags = flags
        if isReading {
            flags =
                flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_DELETEONCLOSE) | SQLITE_OPEN_READONLY
        }
        if isStore {
            remember(path, isArchived: false)
            MainFiles.opened(path)
        }
        if flags & SQLITE_OPEN_WAL != 0, isArchived(path.dropLast("-wal".count)) {
            // SQLite would give the WAL the mode of the database file, which does not exist. The
            // WAL is therefore created here, and opened as a file type that SQLite otherwise treats
            // the same.
            if flags & SQLITE_OPEN_CREATE != 0 {
                do { try File(path, .openOrCreate(mode: 0o600)).close() } catch { return SQLITE_CANTOPEN }
            }
            flags = flags & ~SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL
        }
        let result = real.pointee.xOpen(real, name, file, flags, outFlags)
        if result == SQLITE_OK {
            GuardFile.adopt(file, vfs: self, name: name, isStore: isStore, main: main, hasNewName: isNew)
        } else if isStore {
            forget(path)
            MainFiles.closed(path)
        }
        return result
    }

    /// Opens a database within an archive. `name` is the path that it would have as a separate
    /// file.
    private func open(
        _ database: ArchivedDatabase, _ name: UnsafePointer<CChar>, _ file: UnsafeMutablePointer<sqlite3_file>,
        _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        let path = String(cString: name)
        // Two private indexes of one WAL would not be kept consistent.
        guard isReading || !isArchived(path[...]) else { return SQLITE_BUSY }
        remember(path, isArchived: true)
        ArchivedFile.open(
            file, database, vfs: self, name: name, needsWAL: sqlite3_uri_boolean(name, "immutable", 0) == 0)
        // SQLite would not open a WAL for a database that is not writable.
        outFlags?.pointee = isReading ? flags & ~SQLITE_OPEN_READWRITE | SQLITE_OPEN_READONLY : flags
        return SQLITE_OK
    }

    private func remember(_ path: String, isArchived: Bool) {
        stores.withLock { $0[path, default: Store(isArchived: isArchived)].count += 1 }
    }

    func forget(_ path: String) {
        stores.withLock { stores in
            guard let store = stores[path] else { return }
            if store.count > 1 { stores[path]?.count -= 1 } else { stores[path] = nil }
        }
    }

    private func isArchived(_ path: Substring) -> Bool { stores.withLock { $0[String(path)]?.isArchived ?? false } }

    private func delete(_ name: UnsafePointer<CChar>?, _ sync: Int32) -> Int32 {
        guard let real = GuardVFS.real, let name else { return SQLITE_ERROR }
        let path = String(cString: name)
        guard belongs(path) else { return SQLITE_PERM }
        if isReading { return SQLITE_READONLY }
        if let fault = FaultInjection.fault(.unlink, path) { return GuardFile.result(of: fault, ResultCode.ioDelete) }
        return real.pointee.xDelete(real, name, sync)
    }

    private func access(_ name: UnsafePointer<CChar>?, _ flags: Int32, _ answer: UnsafeMutablePointer<Int32>?) -> Int32
    {
        guard let real = GuardVFS.real, let name else { return SQLITE_ERROR }
        let path = String(cString: name)
        if path.hasSuffix("-journal"), isArchived(path.dropLast("-journal".count)) {
            answer?.pointee = 0
            return SQLITE_OK
        }
        guard belongs(path) else { return SQLITE_PERM }
        return real.pointee.xAccess(real, name, flags, answer)
    }

    /// Whether a path is that of a journal or WAL of an open database. SQLite never looks up or
    /// deletes a database itself.
    private func belongs(_ path: String) -> Bool {
        for suffix in ["-journal", "-wal"] where path.hasSuffix(suffix) {
            guard let store = stores.withLock({ $0[String(path.dropLast(suffix.count))] }) else { continue }
            return suffix == "-wal" || !store.isArchived
        }
        return false
    }
}
