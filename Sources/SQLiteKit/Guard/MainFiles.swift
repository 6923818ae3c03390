internal import FileSystem
internal import Synchronization

/// The database files that this process has open through the guard VFS, and Folio's own descriptors
/// of them.
///
/// Invariants:
/// 1. Folio's descriptor of a database is closed only after the last connection to that database:
///    on POSIX, closing it drops the locks of the whole process.
/// 2. If the file system can't clone a file, cloning is not attempted again for that file.
enum MainFiles {
    private struct Entry {
        var connections = 0
        var file: File?
        var refusesCloning = false
        /// Descriptors for reading the file without a connection.
        var looks: [File] = []
    }

    private static let entries = Mutex<[String: Entry]>([:])

    /// Call it before a connection opens the file.
    static func opened(_ path: String) { entries.withLock { $0[path, default: Entry()].connections += 1 } }

    /// Call it after SQLite has closed the file of one connection.
    static func closed(_ path: String) {
        entries.withLock { entries in
            guard let entry = entries[path] else { return }
            if entry.connections > 1 { entries[path]?.connections -= 1 } else { entries[path] = nil }
        }
    }

    /// Runs `body` with a descriptor of a file, whether or not a connection has it open.
    /// Connections that are opened meanwhile wait.
    static func reading<Result>(_ path: String, _ body: (File) throws -> Result) throws -> Result {
        try entries.withLock { entries in
            // The file at the path need not be the one that the connections have open, because it
            // may have been replaced.
            let current = try Disk.identity(of: path)
            let known = try entries[path]?.looks.first { try current?.isSameFile(as: $0.status().identity) == true }
            let file = try known ?? File(path, .read)
            // Without a connection the descriptor is closed immediately, before a connection can be
            // opened.
            defer { if entries[path] == nil { file.close() } }
            if known == nil { entries[path]?.looks.append(file) }
            return try body(file)
        }
    }

    /// Runs `body`, which returns whether cloning succeeded, with a descriptor of an open database;
    /// returns nil if no connection has it open.
    static func withDescriptor(of path: String, _ body: (File) throws -> Bool) throws -> Bool? {
        try entries.withLock { entries in
            guard let entry = entries[path] else { return nil }
            if entry.refusesCloning { return false }
            let file = try entry.file ?? File(path, .read)
            entries[path]?.file = file
            let isDone = try body(file)
            entries[path]?.refusesCloning = !isDone
            return isDone
        }
    }
}
