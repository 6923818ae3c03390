internal import CSQLite
internal import SQLiteFile

/// The frames at a WAL's end that belong to a transaction whose commit SQLite has not called done:
/// whoever reads the WAL anew, as the next opening does, takes them for a commit as soon as they
/// are whole, even where the commit was refused because they could not be synchronized.
///
/// Invariants:
/// 1. `start` is where the first frame of the unfinished transaction begins; nil where none was
///    written since the last commit that was done.
/// 2. A commit is done when SQLite tells the main file `SQLITE_FCNTL_COMMIT_PHASETWO`; with
///    `synchronous=NORMAL` that is before any synchronization, so that frames that a checkpoint
///    fails to synchronize later are left alone.
/// 3. Before the frame that makes a commit whole is written, the wal-index has room for it, so that
///    nothing can refuse the commit but its synchronization.
struct WALTail {
    private let main: UnsafeMutablePointer<sqlite3_file>
    private var start: Int64?
    private var commits = 0
    private var isCommitNext = false

    init(main: UnsafeMutablePointer<sqlite3_file>) { self.main = main }

    /// Notes what is about to be written to the WAL, and answers `SQLITE_OK` or why it must not be.
    mutating func willWrite(_ bytes: UnsafeRawPointer, count: Int, at offset: Int64) -> Int32 {
        guard offset >= WALHeader.size else { return SQLITE_OK }
        let now = GuardFile.commits(of: main)
        if now != commits {
            commits = now
            start = nil
        }
        start = min(start ?? offset, offset)
        if count == WALFrameHeader.size {
            isCommitNext = WALFrameHeader(UnsafeRawBufferPointer(start: bytes, count: count)).commitSize != 0
            return SQLITE_OK
        }
        guard isCommitNext else { return SQLITE_OK }
        isCommitNext = false
        return GuardFile.makeRoom(forFrame: WALFrameHeader.frame(at: offset, pageSize: count), of: main)
    }

    /// Where the frames of a refused commit begin, once.
    mutating func takeRefused() -> Int64? {
        defer { start = nil }
        return GuardFile.commits(of: main) == commits ? start : nil
    }

    mutating func synchronized() { start = nil }
}

extension GuardFile {
    /// How many commits of a main file's connection are done.
    fileprivate static func commits(of main: UnsafeMutablePointer<sqlite3_file>) -> Int {
        ArchivedFile.isOne(main) ? ArchivedFile.commits(of: main) : GuardFile.of(main).pointee.commits
    }

    /// Makes the wal-index long enough for a frame, counted from 0, where it is shared.
    fileprivate static func makeRoom(forFrame frame: Int64, of main: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        guard !ArchivedFile.isOne(main) else { return SQLITE_OK }
        let block = WALIndex.block(ofFrame: frame)
        // In exclusive locking mode there is none.
        guard let blocks = GuardFile.of(main).pointee.indexBlocks, block >= blocks else { return SQLITE_OK }
        var address: UnsafeMutableRawPointer?
        let methods = main.pointee.pMethods
        return methods?.pointee.xShmMap(main, block, WALIndex.blockSize, 1, &address) ?? SQLITE_OK
    }

    /// Takes the frames of a commit that was refused out of the WAL: it ends before a frame that is
    /// blank.
    ///
    /// What was synchronized of the rest is not known any more, so another synchronization follows,
    /// which makes the blank frame last if it can. It reports no success.
    mutating func withdrawRefusedCommit(_ file: UnsafeMutablePointer<sqlite3_file>?) {
        guard let start = tail?.takeRefused() else { return }
        let blank = [UInt8](repeating: 0, count: WALFrameHeader.size)
        let result = blank.withUnsafeBytes { original.pointee.xWrite(file, $0.baseAddress, Int32($0.count), start) }
        if result != SQLITE_OK { _ = original.pointee.xTruncate(file, start) }
        _ = original.pointee.xSync(file, SQLITE_SYNC_NORMAL)
    }
}
