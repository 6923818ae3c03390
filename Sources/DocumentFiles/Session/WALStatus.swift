internal import SQLiteStore

/// The state of the WAL beside a session's store.
struct WALStatus {
    /// The default limit of the WAL's size is the larger of this constant and a share of the store:
    /// a share alone would be exceeded by every few edits of a small store.
    private static let smallestLimit: Int64 = 256 << 20
    private static let shareOfStore: Int64 = 4

    /// The run of the next commits; nil if the main file is complete, so that the next commit
    /// begins a run.
    private(set) var run: WALRun?
    /// Whether the WAL was not empty when the session began.
    let hadContent: Bool
    /// Whether the session has started to write to the WAL, successfully or not.
    private var hasWritten = false
    /// The size of the WAL when autosaved work in it was made a generation of its own that could
    /// not be checkpointed, because another process was reading.
    private var checkpointedSize: Int64 = 0
    /// Whether the WAL was larger than its limit after the last autosave.
    private(set) var isFull = false
    /// Whether the last save could not be checkpointed yet, because another process was reading.
    var isCheckpointPending = false
    /// The number of commits by other programs that were found in the WAL.
    private(set) var outsideCommits = 0
    /// The path of the quarantined WAL that was found beside the store and did not belong to it.
    var quarantined: String?

    /// Creates the status for a store whose last commit has this marker.
    init(_ marker: DocumentMarker? = nil, hasContent: Bool = false) {
        hadContent = hasContent
        run = hasContent ? marker?.journal : nil
    }

    /// Whether the WAL was ever written, so that it may reappear after a power failure.
    var wasUsed: Bool { hadContent || hasWritten }

    mutating func willWrite() { hasWritten = true }

    mutating func didCommit(to run: WALRun?) { self.run = run }

    /// Called when the main file contains all commits.
    mutating func didCheckpoint() {
        run = nil
        checkpointedSize = 0
    }

    mutating func willCheckpointAutosave() { isFull = false }

    mutating func didCheckpointAutosave(leaving size: Int64) { checkpointedSize = size }

    mutating func noteOutsideCommits(_ count: Int) { outsideCommits = max(outsideCommits, count) }

    /// Checks the size of the WAL after an autosave.
    /// - Parameter limit: The limit in bytes; nil for the document's default.
    mutating func checkSize(
        of wal: StoreWAL, _ limit: Int64?, _ store: SQLitePersistentStore, storeBytes: () throws -> Int64
    ) throws {
        isFull = false
        // Usually the WAL is so small that its file need not be inspected.
        if let atMost = try store.largestWALSize(), atMost < limit ?? Self.smallestLimit { return }
        let size = try wal.size() - checkpointedSize
        if let limit {
            isFull = size > limit
        } else {
            // Below the constant limit, the size of the store is not needed.
            isFull = try size > Self.smallestLimit && size > storeBytes() / Self.shareOfStore
        }
    }
}
