internal import Glibc

/// The kind of a file. Symbolic links are not followed.
package enum FileKind: Sendable, Hashable {
    case file, directory, symbolicLink, other

    init(mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
    }
}

/// Identifies a file and, as far as the file system's timestamps allow, the version of its content.
package struct FileIdentity: Sendable, Hashable, Codable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// The modification time in nanoseconds since 1970.
    package var modified: Int64

    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
    }

    /// Whether both are the same file, regardless of its content.
    package func isSameFile(as other: FileIdentity) -> Bool { device == other.device && inode == other.inode }
}

/// The result of `stat` for a file.
package struct FileStatus: Sendable, Hashable {
    package let identity: FileIdentity
    package let kind: FileKind
    /// The permission bits.
    package let mode: UInt32
    /// The IDs of the owner and the group.
    package let user: UInt32, group: UInt32
    package let linkCount: Int

    package var size: Int64 { identity.size }

    init(_ status: stat) {
        let nanoseconds = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        identity = FileIdentity(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: nanoseconds)
        kind = FileKind(mode: status.st_mode)
        mode = status.st_mode & 0o7777
        user = status.st_uid
        group = status.st_gid
        linkCount = Int(status.st_nlink)
    }

    init(descriptor: Int32, path: String) throws {
        var status = stat()
        try perform(.stat, path) { negated(fstat(descriptor, &status)) }
        self.init(status)
    }

    /// The status of a path, without following a symbolic link; nil if it does not exist. A missing
    /// file is frequent, so it creates no error.
    static func ifPresent(_ path: String, in directory: Int32 = workingDirectory) throws -> FileStatus? {
        var status = stat()
        do {
            let isMissing = try withPath(path) { name in
                try perform(.stat, path) {
                    let answer = negated(fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW))
                    return answer == -Int(ENOENT) || answer == -Int(ENOTDIR) ? 1 : answer
                }
            }
            return isMissing == 0 ? FileStatus(status) : nil
        } catch let error as FileSystemError where error.code == .notFound || error.code == .notDirectory {
            return nil
        }
    }
}
