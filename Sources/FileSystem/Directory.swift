internal import CSystem
internal import Glibc

/// An open folder. Paths relative to it can't lead outside of it, even if another process changes
/// links or replaces folders meanwhile.
package final class Directory: Sendable {
    private static let slash = UInt8(ascii: "/")
    package let path: String
    package let descriptor: Int32

    /// Opens a folder. If `followingLink` is false, a symbolic link as the last component is
    /// rejected.
    package init(_ path: String, followingLink: Bool = false) throws {
        self.path = path
        descriptor = try openDescriptor(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW))
    }

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { _ = close(descriptor) }

    package func status() throws -> FileStatus { try FileStatus(descriptor: descriptor, path: path) }

    /// Opens a regular file beneath this folder. No component may be a symbolic link or `..`.
    /// FIFOs, devices and sockets are rejected without blocking, and with `refusingHardLinks` also
    /// files with several hard links.
    package func file(_ name: String, _ access: File.Access = .read, refusingHardLinks: Bool = false) throws -> File {
        let full = FilePath.join(path, name)
        let file = try File(descriptor: openBeneath(name, access.flags, access.mode), path: full)
        if refusingHardLinks, try file.status().linkCount > 1 {
            throw FileSystemError(
                .unsuitableFile, operation: "open", path: full, detail: "has another name (hard link)")
        }
        return file
    }

    /// Opens a folder beneath this one. No component may be a symbolic link.
    package func directory(_ name: String) throws -> Directory {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK
        return try Directory(descriptor: openBeneath(name, flags, 0), path: FilePath.join(path, name))
    }

    /// Reads a whole file beneath this folder, up to `limit` bytes.
    package func read(_ name: String, limit: Int) throws -> [UInt8] { try file(name).readNew(limit: limit) }

    /// The status of an entry directly in this folder, without following a symbolic link; nil if
    /// there is none.
    package func status(of name: String) throws -> FileStatus? {
        try FileStatus.ifPresent(name, in: descriptor)
    }

    /// Locks this folder until it is closed or the process ends; returns false if it is already
    /// locked. The lock is advisory.
    package func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Creates a folder directly in this one unless the name exists.
    package func makeDirectory(_ name: String, mode: UInt32 = 0o777) throws {
        let full = FilePath.join(path, name)
        do {
            try withPath(name) { name in
                _ = try perform(.mkdir, full) { negated(mkdirat(descriptor, name, mode_t(mode))) }
            }
        } catch let error as FileSystemError where error.code == .exists {
            // An existing file of another kind is reported when it is opened as a folder.
        }
    }

    /// Renames a file directly in this folder to a name directly in another one. An existing file
    /// is replaced.
    package func rename(_ name: String, to folder: Directory, _ newName: String) throws {
        try withPath(name) { from in
            try withPath(newName) { to in
                _ = try perform(.rename, FilePath.join(folder.path, newName)) {
                    negated(renameat(descriptor, from, folder.descriptor, to))
                }
            }
        }
    }

    /// Removes a file or link directly in this folder. Returns false if there is none.
    @discardableResult
    package func removeFile(_ name: String) throws -> Bool {
        let full = FilePath.join(path, name)
        do {
            try withPath(name) { name in _ = try perform(.unlink, full) { negated(unlinkat(descriptor, name, 0)) } }
            return true
        } catch let error as FileSystemError where error.code == .notFound {
            return false
        }
    }

    package func synchronize() throws { try Disk.synchronizeDirectory(descriptor, path) }

    private func openBeneath(_ name: String, _ flags: Int32, _ mode: mode_t) throws -> Int32 {
        let full = FilePath.join(path, name)
        guard Self.hasPlainParts(name) else {
            throw FileSystemError(
                .invalidPath, operation: "open", path: full, detail: "a name beneath a folder has plain parts only")
        }
        do {
            return try withPath(name) { path in
                try Int32(perform(.open, full) { Int(folio_open_beneath(descriptor, path, flags | O_CLOEXEC, mode)) })
            }
        } catch let error as FileSystemError where error.errno == ENOSYS || error.errno == EPERM {
            // The call is missing in kernels before 5.6 and in some sandboxes: open the path
            // component by component.
            return try walk(name.utf8.split(separator: Self.slash).map { String(Substring($0)) }, flags, mode, full)
        }
    }

    /// Whether no component is empty, `.` or `..`. Compares bytes like the system does: a slash
    /// before a combining mark is a different `Character`.
    private static func hasPlainParts(_ name: String) -> Bool {
        // The length of the current component, and whether it consists of full stops only.
        var length = 0, isDots = true
        for byte in name.utf8 {
            guard byte == slash else {
                length += 1
                if byte != UInt8(ascii: ".") { isDots = false }
                continue
            }
            if length == 0 || isDots && length <= 2 { return false }
            (length, isDots) = (0, true)
        }
        return length > 0 && !(isDots && length <= 2)
    }

    private func walk(_ parts: [String], _ flags: Int32, _ mode: mode_t, _ full: String) throws -> Int32 {
        var current = descriptor
        defer { if current != descriptor { _ = close(current) } }
        for part in parts.dropLast() {
            let next = try openDescriptor(part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK, in: current)
            if current != descriptor { _ = close(current) }
            current = next
        }
        return try openDescriptor(parts[parts.count - 1], flags, mode: mode, in: current)
    }
}
