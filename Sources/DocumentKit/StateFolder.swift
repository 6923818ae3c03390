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

    /// A new folder for a while, for this user alone.
    static func makeTemporary() throws -> String {
        let path = FilePath.join(FileManager.default.temporaryDirectory.path, "folio-\(UniqueName.make())")
        try Disk.makeDirectory(path, mode: 0o700)
        return path
    }
}
