internal import CSQLite
internal import SQLiteFile

/// Tracks the frames at the end of a WAL that belong to a transaction whose commit SQLite has not
/// completed. The next connection that reads the WAL would take complete frames for a commit, even
/// if the commit failed because they could not be synchronized.
///
/// Invariants:
/// 1. `start` is the offset of the first frame of the unfinished transaction; nil if no frame was
///    written since the last completed commit.
/// 2. A commit is complete when SQLite calls the main file with `SQLITE_FCNTL_COMMIT_PHASETWO`.
///    With `synchronous=NORMAL` that is before any synchronization, so frames that a checkpoint
///    later fails to synchronize are not affected.
/// 3. Before the frame that completes a commit is written, the wal-index has room for it, so that
///    only synchronization can make the commit fail.
struct WALTail {
    private let main: UnsafeMutablePointer<sqlite3_file>
    private var start: Int64?
    private var commits = 0
    private var isCommitNext = false

    init(main: UnsafeMutablePointer<sqlite3_file>) { self.main = main }

    /// Records a write to the WAL before it is made. Returns `SQLITE_OK`, or the error with which
    /// to reject it.
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

    /// Returns and clears the offset of the frames of a failed commit.
    mutating func takeRefused() -> Int64? {
        defer { start = nil }
        return GuardFile.commits(of: main) == commits ? start : nil
    }

    mutating func synchronized() { start = nil }
}

extension GuardFile {
    /// The number of completed commits of a main file's connection.
    fileprivate static func commits(of main: UnsafeMutablePointer<sqlite3_file>) -> Int {
        ArchivedFile.isOne(main) ? ArchivedFile.commits(of: main) : GuardFile.of(main).pointee.commits
    }

    /// Enlarges a shared wal-index for a frame, counted from 0.
    fileprivate static func makeRoom(forFrame frame: Int64, of main: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
        guard !ArchivedFile.isOne(main) else { return SQLITE_OK }
        let block = WALIndex.block(ofFrame: frame)
        // In exclusive locking mode there is no shared index.
        guard let blocks = GuardFile.of(main).pointee.indexBlocks, block >= blocks else { return SQLITE_OK }
        var address: UnsafeMutableRawPointer?
        let methods = main.pointee.pMethods
        return methods?.pointee.xShmMap(main, block, WALIndex.blockSize, 1, &address) ?? SQLITE_OK
    }

    /// Removes the frames of a failed commit from the WAL, by overwriting the first frame's header
    /// with zeros, where the WAL then ends.
    ///
    /// It is unknown which part of the frames was synchronized, so another synchronization follows,
    /// which makes the zeroed header durable if possible. No error is reported.
    mutating func withdrawRefusedCommit(_ file: UnsafeMutablePointer<sqlite3_file>?) {
        guard let start = tail?.takeRefused() else { return }
        let blank = [UInt8](repeating: 0, count: WALFrameHeader.size)
        let result = blank.withUnsafeBytes { original.pointee.xWrite(file, $0.baseAddress, Int32($0.count), start) }
        if result != SQLITE_OK { _ = original.pointee.xTruncate(file, start) }
        _ = original.pointee.xSync(file, SQLITE_SYNC_NORMAL)
    }
}
