internal import FileSystem
internal import Foundation
internal import Synchronization

/// The folders for files that belong to documents and must not be beside them.
package enum StateFolder {
    /// The working sets of archives: `$XDG_STATE_HOME/folio/documents`, or the same under
    /// `~/.local/state`.
    package static var documents: String { folder("documents") }
    /// The folder for untitled documents.
    package static var untitled: String { folder("untitled") }
    /// The folder for lists of recent documents.
    package static var recent: String { folder("recent") }
    /// The folder for counters of recovery attempts.
    package static var recovery: String { folder("recovery") }

    private static func folder(_ name: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/folio/\(name)" }
        return "\(environment["HOME"] ?? NSHomeDirectory())/.local/state/folio/\(name)"
    }

    private static let temporaryMark = "folio-"
    /// The prefix of the names of this process's temporary folders, by which they are found after
    /// the process was killed.
    private static var temporaryPrefix: String { "\(temporaryMark)\(ProcessInfo.processInfo.processIdentifier)-" }
    private static var temporaryFolder: String { FileManager.default.temporaryDirectory.path }
    /// The temporary folders of this process by their paths. Each is locked while it is in use.
    private static let temporaries = Mutex<[String: Directory]>([:])
    private static let hasLookedForAbandoned = Atomic<Bool>(false)

    /// A path for a new temporary folder.
    static func temporaryPath() -> String { FilePath.join(temporaryFolder, temporaryPrefix + UniqueName.make()) }

    /// Removes this process's temporary folders, even if they are in use.
    package static func removeTemporaries() {
        let folder = temporaryFolder
        for entry in (try? Disk.list(folder)) ?? []
        where entry.kind == .directory && entry.name.hasPrefix(temporaryPrefix) {
            try? Disk.removeTree(FilePath.join(folder, entry.name))
        }
    }

    /// Creates a temporary folder with access for this user only. It is in use until
    /// ``removeTemporary(_:)`` is called.
    package static func makeTemporary() throws -> String {
        let path = temporaryPath()
        try makeTemporary(path)
        return path
    }

    /// Creates a folder at a path returned by `temporaryPath`.
    package static func makeTemporary(_ path: String) throws {
        if !hasLookedForAbandoned.exchange(true, ordering: .relaxed) { removeAbandoned() }
        try DocumentError.stage(.writing, path) {
            try Disk.makeDirectory(path, mode: 0o700)
            let directory = try Directory(path)
            _ = directory.lock()
            temporaries.withLock { $0[path] = directory }
        }
    }

    /// Removes a temporary folder of this process. If that fails, a later process removes it.
    package static func removeTemporary(_ path: String) {
        try? Disk.removeTree(path)
        temporaries.withLock { $0[path] = nil }
    }

    /// The minimum age in seconds of an abandoned folder, because another process may have created
    /// it without having locked it yet.
    private static let shortestLife: TimeInterval = 60

    /// Removes the temporary folders of this user's processes that ended without removing them: the
    /// process ID is not in use, and the folder is not locked.
    private static func removeAbandoned() {
        let folder = temporaryFolder
        for entry in (try? Disk.list(folder)) ?? []
        where entry.kind == .directory && entry.name.hasPrefix(temporaryMark) {
            let parts = entry.name.dropFirst(temporaryMark.count).split(separator: "-", maxSplits: 1)
            guard parts.count == 2, let process = Int32(parts[0]), process > 0, UniqueName.isOne(parts[1]),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            let path = FilePath.join(folder, entry.name)
            guard let directory = try? Directory(path), let status = try? directory.status(), status.user == geteuid()
            else { continue }
            let age = Date.now.timeIntervalSince1970 - Double(status.identity.modified) / 1e9
            if age > shortestLife, directory.lock() { try? Disk.removeTree(path) }
        }
    }
}
