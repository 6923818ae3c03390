internal import FileSystem
internal import Foundation

/// Where Folio keeps what belongs to documents but must not lie beside them.
package enum StateFolder {
    /// `$XDG_STATE_HOME/folio/documents`, or the same under `~/.local/state`.
    package static var documents: String {
        let environment = ProcessInfo.processInfo.environment
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/folio/documents" }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state/folio/documents"
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
