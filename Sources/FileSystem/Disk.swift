internal import CSystem
internal import Glibc

/// What is done to files and folders by path. Larger operations stand in facets of their own.
package enum Disk {
    /// What `path` names, without following a link; nil where there is nothing.
    package static func status(of path: String) throws -> FileStatus? {
        try FileStatus.ifPresent(path)
    }

    /// The kind of thing at `path`, without following a link; nil where there is nothing.
    package static func kind(of path: String) throws -> FileKind? { try status(of: path)?.kind }

    /// The identity of what is at `path`, without opening it; nil where there is nothing.
    package static func identity(of path: String) throws -> FileIdentity? { try status(of: path)?.identity }

    package static func exists(_ path: String) throws -> Bool { try status(of: path) != nil }

    /// Reads a whole file; throws `.tooLarge` where it has more than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws -> [UInt8] {
        try File(path, .read).readNew(limit: limit)
    }

    /// Makes a folder, whose parent must be there.
    package static func makeDirectory(_ path: String, mode: UInt32 = 0o777) throws {
        try withPath(path) { name in _ = try perform(.mkdir, path) { negated(mkdir(name, mode_t(mode))) } }
    }

    /// Makes a folder and those above it, as far as they are missing; where asked, such that a
    /// power cut does not take them away.
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
                // Another process was quicker; what counts is what the last step finds.
            }
        }
        if isDurable {
            // The last one also where it was there: whoever made it may not have come to this.
            for folder in Set(missing + [path]) { try synchronizeDirectory(FilePath.parent(folder)) }
        }
        // Links are followed here: a home folder may well be one.
        let descriptor = try openDescriptor(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK)
        _ = close(descriptor)
    }

    /// Removes a file or link.
    package static func removeFile(_ path: String) throws {
        try withPath(path) { name in _ = try perform(.unlink, path) { negated(unlink(name)) } }
    }

    /// Removes a file or link where there is one; answers whether there was.
    @discardableResult
    package static func removeFileIfPresent(_ path: String) throws -> Bool {
        do {
            try removeFile(path)
            return true
        } catch let error as FileSystemError where error.code == .notFound {
            return false
        }
    }

    /// Removes a folder that has nothing in it; throws `.exists` where it has.
    package static func removeEmptyDirectory(_ path: String) throws {
        try withPath(path) { name in _ = try perform(.unlink, path) { negated(rmdir(name)) } }
    }

    /// Renames within one file system; an item of the same kind at `new` is replaced.
    package static func rename(_ old: String, to new: String) throws {
        try withPath(old) { from in
            try withPath(new) { to in _ = try perform(.rename, new) { negated(Glibc.rename(from, to)) } }
        }
    }

    /// Renames; throws `.exists` where something is at `new`.
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
            // No such flag here: look first. The lock that every caller holds keeps our own kind
            // away from the gap.
            if try exists(new) { throw FileSystemError(operation: "rename", path: new, errno: EEXIST) }
            try rename(old, to: new)
        }
    }

    /// Swaps two items of one file system in one step, where the kernel and the file system can;
    /// throws `.unsupported` or `.crossDevice` where they can't.
    package static func exchange(_ first: String, _ second: String) throws {
        try withPath(first) { from in
            try withPath(second) { to in
                _ = try perform(.exchange, second) {
                    Int(folio_rename_exchange(workingDirectory, from, workingDirectory, to))
                }
            }
        }
    }

    /// Whether an error of `renameat2` means that the flag, not the renaming, was refused.
    static func refusesFlags(_ error: FileSystemError) -> Bool {
        [EXDEV, EINVAL, ENOSYS, ENOTSUP].contains(error.errno)
    }

    /// Puts the names within a folder on the disk: files made, renamed or removed in it.
    package static func synchronizeDirectory(_ path: String) throws {
        let descriptor = try openDescriptor(path, O_RDONLY | O_DIRECTORY)
        defer { _ = close(descriptor) }
        try synchronizeDirectory(descriptor, path)
    }

    static func synchronizeDirectory(_ descriptor: Int32, _ path: String) throws {
        do {
            try perform(.fsync, path, retrying: false) { negated(fsync(descriptor)) }
        } catch let error as FileSystemError {
            // Some network and user-space file systems have no fsync of folders: they order names
            // by themselves or not at all.
            if error.errno == EINVAL || error.errno == ENOSYS || error.errno == ENOTSUP { return }
            throw FileSystemError(.synchronizationFailed, operation: "fsync", path: path, errno: error.errno)
        }
    }
}

extension Disk {
    /// The absolute path with every link resolved; throws `.notFound` where nothing is there.
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
