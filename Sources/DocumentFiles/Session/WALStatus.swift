internal import SQLiteStore

/// What a session knows of the WAL beside its store.
struct WALStatus {
    /// For a small store a quarter would come with every few edits, for a large one so much is
    /// little.
    private static let smallestLimit: Int64 = 256 << 20
    private static let shareOfStore: Int64 = 4

    /// The run that commits go to; nil where the main file has everything, so that the next commit
    /// begins one.
    private(set) var run: WALRun?
    /// Whether it had something in it when the session began.
    let hadContent: Bool
    /// Whether the session has begun to write to it, with or without success.
    private var hasWritten = false
    /// Its size when autosaved work in it was made a state of its own, which an outside reader
    /// keeps from the main file still.
    private var checkpointedSize: Int64 = 0
    /// Whether the last autosave found more in it than is to stay there.
    private(set) var isFull = false
    /// Whether the last save is in it still, for an outside reader kept that from the main file.
    var isCheckpointPending = false
    /// How many commits of other programs were found in it.
    private(set) var outsideCommits = 0
    /// Where one is that lay beside the store when it was opened, and was not its own.
    var quarantined: String?

    /// Of a store whose last commit noted `marker`.
    init(_ marker: DocumentMarker? = nil, hasContent: Bool = false) {
        hadContent = hasContent
        run = hasContent ? marker?.journal : nil
    }

    /// Whether it ever had something in it, so that a power cut may bring it back.
    var wasUsed: Bool { hadContent || hasWritten }

    mutating func willWrite() { hasWritten = true }

    mutating func didCommit(to run: WALRun?) { self.run = run }

    /// The main file has everything.
    mutating func didCheckpoint() {
        run = nil
        checkpointedSize = 0
    }

    mutating func willCheckpointAutosave() { isFull = false }

    mutating func didCheckpointAutosave(leaving size: Int64) { checkpointedSize = size }

    mutating func noteOutsideCommits(_ count: Int) { outsideCommits = max(outsideCommits, count) }

    /// Finds out after an autosave whether more is in it than is to stay there.
    /// - Parameter limit: In bytes; nil for the document's own.
    mutating func checkSize(
        of wal: StoreWAL, _ limit: Int64?, _ store: SQLitePersistentStore, storeBytes: () throws -> Int64
    ) throws {
        isFull = false
        // Mostly it is so small that it need not be looked at.
        if let atMost = try store.largestWALSize(), atMost < limit ?? Self.smallestLimit { return }
        let size = try wal.size() - checkpointedSize
        if let limit {
            isFull = size > limit
        } else {
            // How large the store is makes no difference to a small one.
            isFull = try size > Self.smallestLimit && size > storeBytes() / Self.shareOfStore
        }
    }
}
