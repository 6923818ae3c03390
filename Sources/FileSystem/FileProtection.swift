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
    private struct Owner: Hashable { let user: UInt32, group: UInt32 }
    /// The owner of the file to be replaced; nil if there is none.
    private var owner: Owner?

    private static let everybody: UInt32 = 0o666
    private static let groupRights: UInt32 = 0o070
    /// The owner of a new file may always write it, even if it is a copy of a read-only file.
    private static let maker: UInt32 = 0o600
    /// All permissions that the umask allows.
    package static let open = FileProtection(rights: everybody)

    private init(rights: UInt32) { self.rights = rights & Self.everybody | Self.maker }

    /// The protection of a file or folder; `open` if it does not exist.
    package init(of path: String) throws {
        self.init(rights: try Disk.status(of: path)?.mode ?? Self.everybody)
    }

    /// The protection for a file that replaces `path`: not more permissions than `path` has, and
    /// its owner and group, if this process may change them.
    package func replacing(_ path: String) throws -> FileProtection {
        guard let status = try Disk.status(of: path) else { return self }
        var protection = FileProtection(rights: rights & status.mode)
        protection.owner = Owner(user: status.user, group: status.group)
        return protection
    }

    /// The permissions that both allow.
    package func restricted(by other: FileProtection) -> FileProtection {
        var protection = FileProtection(rights: rights & other.rights)
        protection.owner = owner ?? other.owner
        return protection
    }

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
        if status.mode & mode != status.mode { try Disk.setMode(status.mode & mode, of: path) }
        try giveAway(path)
    }

    /// Sets the owner and the group of the replaced file, before anything is written to the new
    /// file. Setting another owner requires privileges, setting the group requires membership. If
    /// the new file stays in another group than the old one, that group gets no permissions.
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
