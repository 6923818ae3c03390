internal import FileSystem

extension WriteAheadLog {
    /// How many frames of the WAL of a store that nobody in this process has open belong to
    /// commits: what would be lost without the WAL.
    ///
    /// Frames of an older run of the WAL, and those of a commit that a crash cut short, do not
    /// count; a file that is no WAL has none, as for SQLite.
    /// - Throws: `SQLiteError` where it can't be read.
    /// - Complexity: Reads the WAL.
    package static func committedFrames(ofStoreAt path: String) throws -> Int {
        try withFile(ofStoreAt: path) { try WriteAheadLog(size: $0, read: $1)?.end.frames } ?? 0
    }

    /// Whether the WAL of a store begins as one; SQLite locks no WAL, so that looking into it takes
    /// nobody's lock away.
    static func hasHeader(ofStoreAt path: String) throws -> Bool {
        try withFile(ofStoreAt: path) { try hasHeader(size: $0, read: $1) } ?? false
    }

    /// Runs `body` with the size of a store's WAL and what reads it; nil where there is none.
    private static func withFile<Result>(
        ofStoreAt path: String, _ body: (Int64, (UnsafeMutableRawBufferPointer, Int64) throws -> Void) throws -> Result?
    ) throws -> Result? {
        let name = path + "-wal"
        do {
            guard let size = try Disk.status(of: name)?.size, size > 0 else { return nil }
            let file = try File(name, .read)
            defer { file.close() }
            // A file that was cut off meanwhile reads as zeros, which end the WAL.
            return try body(size) { buffer, offset in
                let count = try file.read(into: buffer, at: offset)
                UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(as: UInt8.self, repeating: 0)
            }
        } catch let error as FileSystemError {
            throw SQLiteError(
                error.code == .inputOutput ? .inputOutput : .cannotOpen, message: error.message, path: name,
                systemError: error.errno)
        }
    }
}
