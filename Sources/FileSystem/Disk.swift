internal import CSystem
internal import Glibc

/// Operations on files and folders by path. Larger operations are in extensions.
package enum Disk {
    /// The status of a path, without following a symbolic link; nil if it does not exist.
    package static func status(of path: String) throws -> FileStatus? {
        try FileStatus.ifPresent(path)
    }

    /// The kind of file at a path, without following a symbolic link; nil if it does not exist.
    package static func kind(of path: String) throws -> FileKind? { try status(of: path)?.kind }

    /// The identity of the file at a path, without opening it; nil if it does not exist.
    package static func identity(of path: String) throws -> FileIdentity? { try status(of: path)?.identity }

    package static func exists(_ path: String) throws -> Bool { try status(of: path) != nil }

    /// Reads a whole file; throws `.tooLarge` if it has more than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws -> [UInt8] {
        try File(path, .read).readNew(limit: limit)
    }

    /// Creates a folder, whose parent must exist.
    package static func makeDirectory(_ path: String, mode: UInt32 = 0o777) throws {
        try withPath(path) { name in _ = try perform(.mkdir, path) { negated(mkdir(name, mode_t(mode))) } }
    }

    /// Creates a folder and its missing parents. If `isDurable` is true, they are synchronized.
    package static func makeDirectories(_ path: String, mode: UInt32 = 0o777, isDurable: Bool = false) throws {
        var missing: [String] = []
        var folder = path
        while try !exists(folder) {
            missing.append(folder)
            let parent = FilePath.parent(folder)
            if parent == folder { break }
            folder = parent
        }
        for folder in missing.reversed() {
            do {
                try makeDirectory(folder, mode: mode)
            } catch let error as FileSystemError where error.code == .exists {
                // Another process has created it. The open call below checks that it is a folder.
            }
        }
        if isDurable {
            // Even if the last folder existed, the process that created it may not have
            // synchronized its parent yet.
            for folder in Set(missing + [path]) { try synchronizeDirectory(FilePath.parent(folder)) }
        }
        // Symbolic links are followed here, because a home folder may be one.
        let descriptor = try openDescriptor(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK)
        _ = close(descriptor)
    }

    /// Removes a file or link.
    package static func removeFile(_ path: String) throws {
        try withPath(path) { name in _ = try perform(.unlink, path) { negated(unlink(name)) } }
    }

    /// Removes a file or link; returns false if it does not exist.
    @discardableResult
    package static func removeFileIfPresent(_ path: String) throws -> Bool {
        do {
            try removeFile(path)
            return true
        } catch let error as FileSystemError where error.code == .notFound {
            return false
        }
    }

    /// Removes an empty folder; throws `.exists` if it is not empty.
    package static func removeEmptyDirectory(_ path: String) throws {
        try withPath(path) { name in _ = try perform(.unlink, path) { negated(rmdir(name)) } }
    }

    /// Renames within one file system. An item of the same kind at `new` is replaced.
    package static func rename(_ old: String, to new: String) throws {
        try withPath(old) { from in
            try withPath(new) { to in _ = try perform(.rename, new) { negated(Glibc.rename(from, to)) } }
        }
    }

    /// Renames; throws `.exists` if `new` exists.
    package static func renameWithoutReplacing(_ old: String, to new: String) throws {
        do {
            try withPath(old) { from in
                try withPath(new) { to in
                    _ = try perform(.exchange, new) {
                        Int(folio_rename_noreplace(workingDirectory, from, workingDirectory, to))
                    }
                }
            }
        } catch let error as FileSystemError where Disk.refusesFlags(error) {
            // The flag is not supported. Check and rename instead; the lock that every caller holds
            // protects against races with other Folio processes.
            if try exists(new) { throw FileSystemError(operation: "rename", path: new, errno: EEXIST) }
            try rename(old, to: new)
        }
    }

    /// Exchanges two items of one file system atomically. Throws `.unsupported` or `.crossDevice`
    /// if the kernel or the file system does not support it.
    package static func exchange(_ first: String, _ second: String) throws {
        try withPath(first) { from in
            try withPath(second) { to in
                _ = try perform(.exchange, second) {
                    Int(folio_rename_exchange(workingDirectory, from, workingDirectory, to))
                }
            }
        }
    }

    /// Whether an error of `renameat2` means that the flag is not supported.
    static func refusesFlags(_ error: FileSystemError) -> Bool {
        [EXDEV, EINVAL, ENOSYS, ENOTSUP].contains(error.errno)
    }

    /// Synchronizes the entries of a folder: files that were created, renamed or removed in it.
    package static func synchronizeDirectory(_ path: String) throws {
        let descriptor = try openDescriptor(path, O_RDONLY | O_DIRECTORY)
        defer { _ = close(descriptor) }
        try synchronizeDirectory(descriptor, path)
    }

    static func synchronizeDirectory(_ descriptor: Int32, _ path: String) throws {
        do {
            try perform(.fsync, path, retrying: false) { negated(fsync(descriptor)) }
        } catch let error as FileSystemError {
            // Some network and user-space file systems do not support fsync for folders. Nothing
            // more can be done there.
            if error.errno == EINVAL || error.errno == ENOSYS || error.errno == ENOTSUP { return }
            throw FileSystemError(.synchronizationFailed, operation: "fsync", path: path, errno: error.errno)
        }
    }
}

extension Disk {
    /// The absolute path with all symbolic links resolved; throws `.notFound` if it does not exist.
    package static func resolve(_ path: String) throws -> String {
        var resolved = ""
        try withPath(path) { name in
            _ = try perform(.stat, path) {
                guard let text = realpath(name, nil) else { return -Int(errno) }
                defer { free(text) }
                resolved = String(cString: text)
                return 0
            }
        }
        return resolved
    }
}
