internal import FileSystem
internal import Foundation
internal import Synchronization

/// Where Folio keeps what belongs to documents but must not lie beside them.
package enum StateFolder {
    /// The working sets of archives: `$XDG_STATE_HOME/folio/documents`, or the same under
    /// `~/.local/state`.
    package static var documents: String { folder("documents") }
    /// Documents that have no name yet.
    package static var untitled: String { folder("untitled") }
    /// What was opened lately.
    package static var recent: String { folder("recent") }
    /// Recoveries that have begun.
    package static var recovery: String { folder("recovery") }

    private static func folder(_ name: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/folio/\(name)" }
        return "\(environment["HOME"] ?? NSHomeDirectory())/.local/state/folio/\(name)"
    }

    private static let temporaryMark = "folio-"
    /// The names of this process's temporary folders begin with it, so that they are found where
    /// the process is ended in the middle.
    private static var temporaryPrefix: String { "\(temporaryMark)\(ProcessInfo.processInfo.processIdentifier)-" }
    private static var temporaryFolder: String { FileManager.default.temporaryDirectory.path }
    /// The temporary folders of this process by their paths, each locked as long as it is in use.
    private static let temporaries = Mutex<[String: Directory]>([:])
    private static let hasLookedForAbandoned = Atomic<Bool>(false)

    /// Where a new folder may be made for a while.
    static func temporaryPath() -> String { FilePath.join(temporaryFolder, temporaryPrefix + UniqueName.make()) }

    /// Removes this process's temporary folders, whether or not anybody uses them.
    package static func removeTemporaries() {
        let folder = temporaryFolder
        for entry in (try? Disk.list(folder)) ?? []
        where entry.kind == .directory && entry.name.hasPrefix(temporaryPrefix) {
            try? Disk.removeTree(FilePath.join(folder, entry.name))
        }
    }

    /// A new folder for a while, for this user alone. It is in use until ``removeTemporary(_:)`` is
    /// called.
    package static func makeTemporary() throws -> String {
        let path = temporaryPath()
        try makeTemporary(path)
        return path
    }

    /// Makes a folder at a path that `temporaryPath` answered.
    package static func makeTemporary(_ path: String) throws {
        if !hasLookedForAbandoned.exchange(true, ordering: .relaxed) { removeAbandoned() }
        try DocumentError.stage(.writing, path) {
            try Disk.makeDirectory(path, mode: 0o700)
            let directory = try Directory(path)
            _ = directory.lock()
            temporaries.withLock { $0[path] = directory }
        }
    }

    /// Removes a temporary folder of this process. Where that fails, a later run removes it.
    package static func removeTemporary(_ path: String) {
        try? Disk.removeTree(path)
        temporaries.withLock { $0[path] = nil }
    }

    /// Whoever has just made a folder may not have locked it yet.
    private static let shortestLife: TimeInterval = 60

    /// Removes the temporary folders of this user's processes that were ended before they could:
    /// their number belongs to no process, and nobody has them locked.
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
