internal import FileSystem
internal import Synchronization

/// The database files that this process has open through the guard VFS, and descriptors of ours on
/// them.
///
/// Invariants:
/// 1. A descriptor of ours on a database is closed after the last connection to that database,
///    never before: POSIX drops the locks of the whole process with it.
/// 2. A file system that has refused to clone a file is not asked again for that file.
enum MainFiles {
    private struct Entry {
        var connections = 0
        var file: File?
        var refusesCloning = false
        /// For looking at the file from outside.
        var looks: [File] = []
    }

    private static let entries = Mutex<[String: Entry]>([:])

    /// A connection is about to open the file.
    static func opened(_ path: String) { entries.withLock { $0[path, default: Entry()].connections += 1 } }

    /// SQLite has closed the file of one connection.
    static func closed(_ path: String) {
        entries.withLock { entries in
            guard let entry = entries[path] else { return }
            if entry.connections > 1 { entries[path]?.connections -= 1 } else { entries[path] = nil }
        }
    }

    /// Runs `body` with a descriptor on a file, whether a connection has it open or not.
    /// Connections that are about to be opened wait.
    static func reading<Result>(_ path: String, _ body: (File) throws -> Result) throws -> Result {
        try entries.withLock { entries in
            // What is at the path need not be what the connections have open: they may have been
            // left behind.
            let current = try Disk.identity(of: path)
            let known = try entries[path]?.looks.first { try current?.isSameFile(as: $0.status().identity) == true }
            let file = try known ?? File(path, .read)
            // Without a connection it is closed here and now, before one can be opened.
            defer { if entries[path] == nil { file.close() } }
            if known == nil { entries[path]?.looks.append(file) }
            return try body(file)
        }
    }

    /// Runs `body`, which answers whether it could clone, with a descriptor on an open database;
    /// nil where no connection has it open.
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
