internal import CSQLite

/// How long the WAL is, as SQLite tells it at every commit: to look at the file would take as long
/// as a good part of a small commit.
///
/// SQLite calls with it from within the connection's own statements. The connection owns it, and
/// takes it away from the handle when it goes: a statement that lives longer keeps the handle.
final class WALLength {
    private(set) var frames: Int?
    private var isWatching = false

    /// Takes the place of the hook by which SQLite checkpoints by itself.
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
