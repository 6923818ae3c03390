internal import Glibc

/// Who may read and write a file: what is made from it, or takes its place, must not be open to
/// more.
///
/// ```swift
/// let protection = try FileProtection(of: document)
/// let file = try File(temporary, .create(mode: protection.fileMode))
/// ```
/// The process's mask is taken off as well when a file or folder is made with one of these modes.
package struct FileProtection: Sendable, Hashable {
    /// The rights to read and write: no bit to execute, and none to enter a folder.
    private let rights: UInt32
    private struct Owner: Hashable { let user: UInt32, group: UInt32 }
    /// Who owns what is replaced; nil where nothing is.
    private var owner: Owner?

    private static let everybody: UInt32 = 0o666
    private static let groupRights: UInt32 = 0o070
    /// Whoever makes a file may write it: a copy of what is read-only is none.
    private static let maker: UInt32 = 0o600
    /// What everybody's mask leaves.
    package static let open = FileProtection(rights: everybody)

    private init(rights: UInt32) { self.rights = rights & Self.everybody | Self.maker }

    /// The protection of a file or folder; `open` where there is nothing.
    package init(of path: String) throws {
        self.init(rights: try Disk.status(of: path)?.mode ?? Self.everybody)
    }

    /// For what takes the place of `path`: not more open than that, and of its owner and group,
    /// where this process may give files away.
    package func replacing(_ path: String) throws -> FileProtection {
        guard let status = try Disk.status(of: path) else { return self }
        var protection = FileProtection(rights: rights & status.mode)
        protection.owner = Owner(user: status.user, group: status.group)
        return protection
    }

    /// What both allow.
    package func restricted(by other: FileProtection) -> FileProtection {
        var protection = FileProtection(rights: rights & other.rights)
        protection.owner = owner ?? other.owner
        return protection
    }

    /// For a new file.
    package var fileMode: UInt32 { rights }
    /// For a new folder: whoever may read it may enter it.
    package var folderMode: UInt32 { rights | (rights & 0o444) >> 2 }

    /// Takes rights away from a file, or from a folder and everything in it, that are not given
    /// here, and gives it to the owner. Adds no right.
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
        if status.mode & mode != status.mode { try Disk.setMode(status.mode & mode, of: path) }
        try giveAway(path)
    }

    /// Gives a file or folder to the owner and the group of what it replaces, before anything is
    /// written to it. Another owner takes a privileged process, a group one of its members; where
    /// it stays with a group that the old file was not of, that group has no rights.
    package func giveAway(_ path: String) throws {
        guard let owner else { return }
        if geteuid() == 0 {
            _ = path.withCString { lchown($0, owner.user, owner.group) }
            return
        }
        guard let status = try Disk.status(of: path), status.group != owner.group else { return }
        if path.withCString({ lchown($0, uid_t.max, owner.group) }) != 0 {
            try Disk.setMode(status.mode & ~Self.groupRights, of: path)
        }
    }
}
