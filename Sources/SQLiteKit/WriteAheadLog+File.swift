internal import FileSystem

extension WriteAheadLog {
    /// How many frames of the WAL of a store that nobody in this process has open belong to commits: what would be lost without the WAL.
    ///
    /// Frames of an older run of the WAL, and those of a commit that a crash cut short, do not count; a file that is no WAL has none, as for SQLite.
    /// - Throws: `SQLiteError` where it can't be read.
    /// - Complexity: Reads the WAL.
    package static func committedFrames(ofStoreAt path: String) throws -> Int {
        let name = path + "-wal"
        do {
            guard let size = try Disk.status(of: name)?.size, size > 0 else { return 0 }
            let file = try File(name, .read)
            defer { file.close() }
            // A file that was cut off meanwhile reads as zeros, which end the WAL.
            let log = try WriteAheadLog(size: size) { buffer, offset in
                let count = try file.read(into: buffer, at: offset)
                UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(as: UInt8.self, repeating: 0)
            }
            return log?.end.frames ?? 0
        } catch let error as FileSystemError {
            throw SQLiteError(
                error.code == .inputOutput ? .inputOutput : .cannotOpen, message: error.message, path: name, systemError: error.errno)
        }
    }
}
