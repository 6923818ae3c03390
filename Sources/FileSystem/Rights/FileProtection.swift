internal import Glibc

/// The permissions of a file. A file that is made from it or replaces it must not have more
/// permissions.
///
/// ```swift
/// let protection = try FileProtection(of: document)
/// let file = try File(temporary, .create(mode: protection.fileMode))
/// ```
/// The umask of the process also applies when a file or folder is created with one of these modes.
package struct FileProtection: Sendable, Hashable {
    /// The permission bits for reading and writing, without the execute bits.
    private let rights: UInt32
    /// The rights of the file or folder to be replaced; nil if there is none.
    private var replaced: AccessRights?
    /// Those of the files in a folder to be replaced.
    private var replacedPart: AccessRights?

    private static let everybody: UInt32 = 0o666
    /// The bit of a folder whose new items get its group.
    package static let groupRule: UInt32 = 0o2000
    /// The owner of a new file may always write it, even if it is a copy of a read-only file.
    private static let maker: UInt32 = 0o600
    /// All permissions that the umask allows.
    package static let open = FileProtection(rights: everybody)

    private init(rights: UInt32) { self.rights = rights & Self.everybody | Self.maker }

    /// The protection of a file or folder; `open` if it does not exist.
    package init(of path: String) throws {
        self.init(rights: try Disk.status(of: path)?.mode ?? Self.everybody)
    }

    /// The protection for a file or folder that replaces `path`: the owner, group, mode and access
    /// list of `path`, as far as this process may set them, and no permission that this protection
    /// lacks.
    /// - Parameter part: A file in the folder at `path`, whose rights the new files get.
    package func replacing(_ path: String, part: String? = nil) throws -> FileProtection {
        guard let status = try Disk.status(of: path) else { return self }
        var protection = FileProtection(rights: rights & status.mode)
        protection.replaced = try AccessRights(of: path)
        if let part { protection.replacedPart = try AccessRights(of: part) }
        return protection
    }

    /// The permissions that both allow.
    package func restricted(by other: FileProtection) -> FileProtection {
        var protection = FileProtection(rights: rights & other.rights)
        protection.replaced = replaced ?? other.replaced
        protection.replacedPart = replacedPart ?? other.replacedPart
        return protection
    }

    /// Whether a folder is replaced, whose rights the new one gets.
    package var replacesFolder: Bool { replaced?.isFolder == true }

    /// The mode of a new file.
    package var fileMode: UInt32 { rights }
    /// The mode of a new folder: users who may read it may enter it.
    package var folderMode: UInt32 { rights | (rights & 0o444) >> 2 }

    /// Removes permissions that this protection does not allow from a file, or from a folder and
    /// its contents, and sets the owner. Adds no permission.
    package func protect(_ path: String) throws {
        guard let status = try Disk.status(of: path) else { return }
        switch status.kind {
        case .directory:
            for entry in try Disk.list(path) { try protect(FilePath.join(path, entry.name)) }
            try restrict(path, status, to: folderMode)
        case .file: try restrict(path, status, to: fileMode)
        case .symbolicLink, .other: break
        }
    }

    private func restrict(_ path: String, _ status: FileStatus, to mode: UInt32) throws {
        // The folder's rule for the group of its items is no permission.
        let allowed = status.kind == .directory ? mode | Self.groupRule : mode
        if status.mode & allowed != status.mode { try Disk.setMode(status.mode & allowed, of: path) }
        try giveAway(path)
    }

    /// Gives a new item the rights of what it replaces, within those of this protection, before
    /// anything is written to it.
    package func giveAway(_ path: String) throws {
        guard let replaced, let kind = try Disk.kind(of: path) else { return }
        // Whoever may not read the source may not read the copy. Who may write it, the replaced
        // one says.
        let readers = rights & 0o444, limit = readers | readers >> 1
        if kind == .directory {
            try replaced.give(to: path, within: limit | readers >> 2 | Self.groupRule)
        } else {
            try (replacesFolder ? replacedPart ?? replaced : replaced).give(to: path, within: limit)
        }
    }
}
