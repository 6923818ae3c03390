internal import CSQLite

/// The length of the WAL as SQLite reports it at every commit. Querying the file would take a
/// considerable part of the time of a small commit.
///
/// SQLite calls the hook during the connection's own statements. The connection owns this object,
/// and removes the hook from the handle when it is released: a statement that outlives the
/// connection keeps the handle open.
final class WALLength {
    private(set) var frames: Int?
    private var isWatching = false

    /// Replaces the hook with which SQLite checkpoints automatically.
    func watch(_ handle: OpaquePointer) {
        sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                guard let context else { return SQLITE_OK }
                Unmanaged<WALLength>.fromOpaque(context).takeUnretainedValue().frames = Int(frames)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
        isWatching = true
    }

    func leave(_ handle: OpaquePointer) {
        if isWatching { sqlite3_wal_hook(handle, nil, nil) }
    }
}
