internal import DocumentFiles
internal import FileSystem
internal import Foundation

/// The untitled documents of an application, in `$XDG_STATE_HOME/folio/untitled/<application>/`.
/// They are ordinary packages, autosaved and locked, until they are saved under a name.
struct UntitledDocuments {
    let folder: String

    init(application: String) { folder = FilePath.join(StateFolder.untitled, application) }

    /// A path for a new document. Its folder is created.
    func newPath(extension: String) throws -> String {
        try Disk.makeDirectories(folder, mode: 0o700, isDurable: true)
        return FilePath.join(folder, "\(UniqueName.make()).\(`extension`)")
    }

    func list() throws -> [String] {
        guard try Disk.kind(of: folder) == .directory else { return [] }
        return try Disk.list(folder).filter { $0.kind == .directory && !$0.name.hasPrefix(".") }.map {
            FilePath.join(folder, $0.name)
        }
    }

    static func contains(_ path: String) -> Bool {
        FilePath.parent(FilePath.parent(path)) == LinkResolution.resolve(StateFolder.untitled)
    }

    static func remove(_ path: String) throws {
        guard contains(path) else { return }
        try Disk.removeTree(path)
        try Disk.synchronizeDirectory(FilePath.parent(path))
    }
}
