internal import CSQLite

/// How long the WAL is, as SQLite tells it at every commit: to look at the file would take as long as a good part of a small commit.
///
/// The connection owns it as long as its handle is open; SQLite calls with it from within that connection's own statements alone.
final class LogLength {
    private(set) var frames: Int?

    /// Takes the place of the hook by which SQLite checkpoints by itself.
    func watch(_ handle: OpaquePointer) {
        sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogLength>.fromOpaque(context).takeUnretainedValue().frames = Int(frames)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
