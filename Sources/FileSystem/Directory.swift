internal import CSystem
internal import Glibc

/// An open folder. Everything named through it lies beneath it, whatever links or swaps somebody
/// else makes meanwhile.
package final class Directory: Sendable {
    private static let slash = UInt8(ascii: "/")
    package let path: String
    package let descriptor: Int32

    /// Opens a folder; with `followingLink` false, a link as the last component is refused.
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

    /// Opens a plain file beneath this folder. No component may be a link or `..`; FIFOs, devices
    /// and sockets are refused without waiting on them, and hard links where `refusingHardLinks`
    /// says so.
    package func file(_ name: String, _ access: File.Access = .read, refusingHardLinks: Bool = false) throws -> File {
        let full = FilePath.join(path, name)
        let file = try File(descriptor: openBeneath(name, access.flags, access.mode), path: full)
        if refusingHardLinks, try file.status().linkCount > 1 {
            throw FileSystemError(
                .unsuitableFile, operation: "open", path: full, detail: "has another name (hard link)")
        }
        return file
    }

    /// Opens a folder beneath this one, with no link on the way.
    package func directory(_ name: String) throws -> Directory {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK
        return try Directory(descriptor: openBeneath(name, flags, 0), path: FilePath.join(path, name))
    }

    /// Reads a whole file beneath this folder, up to `limit` bytes.
    package func read(_ name: String, limit: Int) throws -> [UInt8] { try file(name).readNew(limit: limit) }

    /// What a name directly in this folder stands for, without following a link; nil where there is
    /// nothing.
    package func status(of name: String) throws -> FileStatus? {
        try FileStatus.ifPresent(name, in: descriptor)
    }

    /// Locks this folder for as long as it is open here, or until the process ends in whatever way;
    /// false where somebody has it locked. Asks only, and binds nobody who does not.
    package func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Makes a folder directly in this one where nothing has its name yet.
    package func makeDirectory(_ name: String, mode: UInt32 = 0o777) throws {
        let full = FilePath.join(path, name)
        do {
            try withPath(name) { name in
                _ = try perform(.mkdir, full) { negated(mkdirat(descriptor, name, mode_t(mode))) }
            }
        } catch let error as FileSystemError where error.code == .exists {
            // Whatever it is: whoever opens it as a folder is told.
        }
    }

    /// Renames a file directly in this folder to a name directly in another one; a file of that
    /// name is replaced.
    package func rename(_ name: String, to folder: Directory, _ newName: String) throws {
        try withPath(name) { from in
            try withPath(newName) { to in
                _ = try perform(.rename, FilePath.join(folder.path, newName)) {
                    negated(renameat(descriptor, from, folder.descriptor, to))
                }
            }
        }
    }

    /// Removes a file or link directly in this folder, where there is one; answers whether there
    /// was.
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
            // Kernels before 5.6, and sandboxes that refuse what they don't know: walk there part
            // by part.
            return try walk(name.utf8.split(separator: Self.slash).map { String(Substring($0)) }, flags, mode, full)
        }
    }

    /// Whether no part is empty, `.` or `..`. By bytes, as the system sees it: as a `Character`, a
    /// slash before a combining mark is another.
    private static func hasPlainParts(_ name: String) -> Bool {
        // Of the part that is looked at: its length, and whether it has been nothing but full
        // stops.
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
