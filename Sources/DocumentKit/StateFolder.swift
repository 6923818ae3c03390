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

    /// Where a new folder may be made for a while.
    static func temporaryPath() -> String { FilePath.join(FileManager.default.temporaryDirectory.path, "folio-\(UniqueName.make())") }

    /// A new folder for a while, for this user alone.
    static func makeTemporary() throws -> String {
        let path = temporaryPath()
        try Disk.makeDirectory(path, mode: 0o700)
        return path
    }
}
