internal import CSystem
internal import Glibc

/// Owner, group, mode and access lists of a file or folder, for what replaces it.
///
/// ```swift
/// try AccessRights(of: document)?.give(to: temporary)
/// ```
package struct AccessRights: Sendable, Hashable {
    private let user: UInt32, group: UInt32
    private let mode: UInt32
    package let isFolder: Bool
    /// The POSIX access list, as the kernel encodes it; nil if there is none.
    private let list: [UInt8]?
    /// The access list that new items in a folder get; nil if there is none.
    private let defaultList: [UInt8]?

    private static let listName = "system.posix_acl_access"
    private static let defaultListName = "system.posix_acl_default"
    private static let groupRights: UInt32 = 0o070

    /// Nil if there is nothing at the path, or something that is neither a file nor a folder.
    package init?(of path: String) throws {
        guard let status = try Disk.status(of: path), status.kind == .file || status.kind == .directory else {
            return nil
        }
        (user, group, mode) = (status.user, status.group, status.mode)
        isFolder = status.kind == .directory
        list = Self.attribute(Self.listName, of: path)
        defaultList = isFolder ? Self.attribute(Self.defaultListName, of: path) : nil
    }

    /// Gives these rights to a file or folder, as far as this process may. If the group or the
    /// access list can't be kept, the group gets no more than it had. An item of the other kind
    /// gets owner and group only.
    /// - Parameter limit: The permissions that the new item may have at most.
    package func give(to path: String, within limit: UInt32 = 0o7777) throws {
        guard let status = try Disk.status(of: path), status.kind == .file || status.kind == .directory else { return }
        let isSameKind = (status.kind == .directory) == isFolder
        var mode = (isSameKind ? mode : status.mode) & limit
        if geteuid() == 0 {
            // Some file systems have no owners.
            if status.user != user || status.group != group { _ = path.withCString { lchown($0, user, group) } }
        } else if status.group != group, path.withCString({ lchown($0, uid_t.max, group) }) != 0 {
            mode &= ~Self.groupRights
        }
        if isSameKind {
            if isFolder { Self.set(defaultList, as: Self.defaultListName, of: path) }
            if !Self.set(list, as: Self.listName, of: path), let list {
                // The group bits of the mode are the mask of the list, not the rights of the group.
                mode &= ~Self.groupRights | Self.groupMode(in: list)
            }
        }
        if try Disk.status(of: path)?.mode != mode { try Disk.setMode(mode, of: path) }
    }

    /// Whether this is the item of another user, and this process may give files to that user.
    package var isOfAnotherUser: Bool { geteuid() == 0 && user != 0 }

    /// Gives the owner and the group of this item to what belongs to the superuser in a folder, and
    /// to the folder. Has no effect on links, and on files with several names.
    package func giveOwner(toContentsOf folder: String) {
        guard let directory = try? Directory(folder) else { return }
        if (try? directory.status().user) == 0 { _ = fchown(directory.descriptor, user, group) }
        giveOwner(toContentsOf: directory, depth: 0)
    }

    private func giveOwner(toContentsOf directory: Directory, depth: Int) {
        guard depth < Self.maximumDepth, let entries = try? directory.entries() else { return }
        for entry in entries where entry.kind == .file || entry.kind == .directory {
            giveOwner(to: entry.name, in: directory, isFolder: entry.kind == .directory)
            if entry.kind == .directory, let inner = try? directory.directory(entry.name) {
                giveOwner(toContentsOf: inner, depth: depth + 1)
            }
        }
    }

    private static let maximumDepth = 16

    /// The item is held by a descriptor without access, since its user may put something else in
    /// its place meanwhile, and since closing another one would drop SQLite's locks.
    private func giveOwner(to name: String, in directory: Directory, isFolder: Bool) {
        let pathOnly: Int32 = 0o10_000_000, emptyPath: Int32 = 0x1000
        let descriptor = name.withCString { openat(directory.descriptor, $0, pathOnly | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        guard let status = try? FileStatus(descriptor: descriptor, path: FilePath.join(directory.path, name)),
            status.user == 0, status.kind == (isFolder ? .directory : .file), isFolder || status.linkCount == 1
        else { return }
        _ = "".withCString { fchownat(descriptor, $0, user, group, emptyPath) }
    }

    // MARK: Access lists

    private static func attribute(_ name: String, of path: String) -> [UInt8]? {
        let size = lgetxattr(path, name, nil, 0)
        guard size > 0 else { return nil }
        var value = [UInt8](repeating: 0, count: size)
        let read = lgetxattr(path, name, &value, size)
        return read > 0 ? Array(value[..<read]) : nil
    }

    /// Sets an access list, or removes the one that the folder's rule gave the item.
    @discardableResult
    private static func set(_ list: [UInt8]?, as name: String, of path: String) -> Bool {
        guard let list else { return lremovexattr(path, name) == 0 }
        return lsetxattr(path, name, list, list.count, 0) == 0
    }

    /// The permissions of the owning group in an access list, as bits of a mode: the list is a
    /// number, and entries of tag (2 bytes), permissions (2 bytes) and ID (4 bytes).
    private static func groupMode(in list: [UInt8]) -> UInt32 {
        let owningGroup: UInt8 = 0x04
        for entry in stride(from: 4, to: list.count - 7, by: 8) where list[entry] == owningGroup {
            return UInt32(list[entry + 2] & 7) << 3
        }
        return 0
    }

    /// Copies the access list of an open file to another. The caller sets the mode afterwards.
    /// - Returns: The mode for the copy of a file with this mode: without the list, its group gets
    ///   no more than the list says.
    static func copyList(from source: Int32, to target: Int32, mode: UInt32) -> UInt32 {
        guard let list = Disk.attribute(listName, of: source) else {
            _ = fremovexattr(target, listName)
            return mode
        }
        if fsetxattr(target, listName, list, list.count, 0) == 0 { return mode }
        return mode & (~groupRights | groupMode(in: list))
    }
}
