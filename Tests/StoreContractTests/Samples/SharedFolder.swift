import Foundation
import Glibc
import Storage

/// A folder of small files that several processes write: some at once, all or none of them, and
/// durably.
///
/// What is to be written stands first in `.save`, which is made under another name, synchronized
/// and renamed: from then on it is written. Whoever finds it there ends what it says and takes it
/// away; doing so twice does no harm. Nobody reads meanwhile, since readers hold the lock on
/// `.lock` too.
struct SharedFolder {
    let url: URL
    let isReadOnly: Bool
    /// How long others may keep the folder, in seconds.
    let timeout: Double

    /// What a save makes of the folder.
    struct Changes: Codable {
        var files: [String: String] = [:]
        var deletedNames: [String] = []
    }

    private var journal: URL { url.appendingPathComponent(".save") }

    // MARK: Locking

    enum Access {
        case reading, writing
    }

    /// Runs `body` while nobody writes or, for writing, while nobody else does anything. What an
    /// interrupted save has left is ended first.
    func locked<Result>(_ access: Access, _ body: () throws -> Result) throws -> Result {
        let path = url.appendingPathComponent(".lock").path
        let descriptor = isReadOnly ? open(path, O_RDONLY | O_CLOEXEC) : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else {
            // A folder that was never written here may be read where nothing can be made.
            if isReadOnly, errno == ENOENT { return try body() }
            throw failure("open", path)
        }
        defer { _ = Glibc.close(descriptor) }
        try lock(descriptor, access == .writing ? LOCK_EX : LOCK_SH)
        if FileManager.default.fileExists(atPath: journal.path) {
            guard !isReadOnly else {
                throw StorageError(.readOnly, "A save was interrupted: open the store for writing once", path: url.path)
            }
            try lock(descriptor, LOCK_EX)
            try finish()
        }
        return try body()
    }

    private func lock(_ descriptor: Int32, _ kind: Int32) throws {
        let deadline = Date(timeIntervalSinceNow: timeout)
        while flock(descriptor, kind | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw failure("lock", url.path) }
            guard Date() < deadline else { throw StorageError(.busy, "Another process uses the store", path: url.path) }
            usleep(5000)
        }
    }

    // MARK: Writing

    /// Writes all files or none. Under a lock for writing.
    func write(_ changes: Changes) throws {
        try put(JSONEncoder().encode(changes), ".save")
        // It is written now: what goes wrong from here on is made good by whoever comes next.
        try? finish()
    }

    private func finish() throws {
        guard let bytes = FileManager.default.contents(atPath: journal.path) else { return }
        guard let changes = try? JSONDecoder().decode(Changes.self, from: bytes),
            (changes.files.keys + changes.deletedNames).allSatisfy({ !$0.contains("/") && $0.first != "." })
        else { throw StorageError(.damaged, "What an interrupted save has left can't be read", path: journal.path) }
        for (name, text) in changes.files { try put(Data(text.utf8), name, synchronizingFolder: false) }
        for name in changes.deletedNames where unlink(url.appendingPathComponent(name).path) != 0 && errno != ENOENT {
            throw failure("remove", name)
        }
        try synchronizeFolder()
        guard unlink(journal.path) == 0 else { throw failure("remove", journal.path) }
        try synchronizeFolder()
    }

    private func put(_ data: Data, _ name: String, synchronizingFolder: Bool = true) throws {
        let path = url.appendingPathComponent(name).path, temporary = url.appendingPathComponent(".new").path
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure("create", temporary) }
        do {
            try writeAll(data, to: descriptor, temporary)
            guard fsync(descriptor) == 0 else { throw failure("synchronize", temporary) }
        } catch {
            _ = Glibc.close(descriptor)
            unlink(temporary)
            throw error
        }
        guard Glibc.close(descriptor) == 0, rename(temporary, path) == 0 else { throw failure("rename", temporary) }
        guard synchronizingFolder else { return }
        do {
            try synchronizeFolder()
        } catch {
            // Nobody may find it that was told that it is not there.
            unlink(path)
            throw error
        }
    }

    private func writeAll(_ data: Data, to descriptor: Int32, _ path: String) throws {
        try data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure("write", path) }
                done += count
            }
        }
    }

    private func synchronizeFolder() throws {
        let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", url.path) }
        defer { _ = Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("synchronize", url.path) }
    }

    private func failure(_ what: String, _ path: String) -> StorageError {
        let number = errno
        let code: StorageError.Code =
            switch number {
            case ENOSPC, EDQUOT: .full
            case EACCES, EPERM: .permission
            case EROFS: .readOnly
            case ENOENT: .notFound
            default: .inputOutput
            }
        return StorageError(code, "Can't \(what): \(String(cString: strerror(number)))", path: path)
    }
}
