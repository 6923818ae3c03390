internal import FileSystem
internal import Foundation

/// Where Folio keeps what belongs to documents but must not lie beside them.
package enum StateFolder {
    /// The working sets of archives: `$XDG_STATE_HOME/folio/documents`, or the same under `~/.local/state`.
    package static var documents: String { folder("documents") }
    /// Documents that have no name yet.
    static var untitled: String { folder("untitled") }
    /// What was opened lately.
    static var recent: String { folder("recent") }
    /// Recoveries that have begun.
    static var recovery: String { folder("recovery") }

    private static func folder(_ name: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/folio/\(name)" }
        return "\(environment["HOME"] ?? NSHomeDirectory())/.local/state/folio/\(name)"
    }

    /// The names of this process's temporary folders begin with it, so that they are found where the process is ended in the middle.
    private static var temporaryPrefix: String { "folio-\(ProcessInfo.processInfo.processIdentifier)-" }

    /// Where a new folder may be made for a while.
    static func temporaryPath() -> String { FilePath.join(FileManager.default.temporaryDirectory.path, temporaryPrefix + UniqueName.make()) }

    /// Removes this process's temporary folders, whether or not anybody uses them.
    static func removeTemporaries() {
        let folder = FileManager.default.temporaryDirectory.path
        for entry in (try? Disk.list(folder)) ?? [] where entry.kind == .directory && entry.name.hasPrefix(temporaryPrefix) {
            try? Disk.removeTree(FilePath.join(folder, entry.name))
        }
    }

    /// A new folder for a while, for this user alone.
    static func makeTemporary() throws -> String {
        let path = temporaryPath()
        try makeTemporary(path)
        return path
    }

    /// Makes a folder at a path that `temporaryPath` answered.
    static func makeTemporary(_ path: String) throws {
        try DocumentError.stage(.writing, path) { try Disk.makeDirectory(path, mode: 0o700) }
    }
}
