internal import CSystem
internal import Glibc
internal import Synchronization

/// A lock on a lock file, which ends when it is released or the process ends.
///
/// It is a lock of the open file description (`F_OFD_SETLK`), which also works on network file
/// systems.
///
/// Only the kernel's lock counts, not the existence of the file. Two `FileLock`s of one process
/// exclude each other, too. The holder may write a description of itself into the file.
package final class FileLock: Sendable {
    private let file: File
    /// The size of the file.
    private let length: Atomic<Int64>
    package var path: String { file.path }

    private init(file: File, length: Int64) {
        self.file = file
        self.length = Atomic(length)
    }

    /// Acquires the lock without blocking, and creates the file if it does not exist. Returns nil
    /// if the lock is held elsewhere.
    package static func acquire(_ path: String, mode: UInt32 = 0o666) throws -> FileLock? {
        while true {
            let file = try File(path, .openOrCreate(mode: mode))
            guard try lock(file) else { return nil }
            // The previous holder may have removed the file after it was opened here. Then the lock
            // has no effect, and the loop tries again.
            let held = try file.status().identity
            if let current = try Disk.identity(of: path), current.isSameFile(as: held) {
                return FileLock(file: file, length: held.size)
            }
        }
    }

    /// Whether the lock is held, by this process or another one, so that it can't be acquired
    /// exclusively. False if the file does not exist.
    package static func isHeld(_ path: String) throws -> Bool {
        do {
            let file = try File(path, .read)
            return try perform(.lock, path) { Int(folio_ofd_test(file.descriptor)) } == 1
        } catch let error as FileSystemError where error.code == .notFound {
            return false
        }
    }

    private static func lock(_ file: File) throws -> Bool {
        do {
            try perform(.lock, file.path) { Int(folio_ofd_lock(file.descriptor)) }
            return true
        } catch let error as FileSystemError where error.errno == EAGAIN || error.errno == EACCES {
            return false
        }
    }

    /// Writes a description of the holder into the file. It is not synchronized, because it is
    /// useless after the process ends.
    package func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        if length.exchange(Int64(bytes.count), ordering: .relaxed) > bytes.count {
            try file.truncate(to: Int64(bytes.count))
        }
    }

    /// The description that a previous holder left when it could not remove the file; empty if this
    /// lock created the file.
    package func read(limit: Int) throws -> [UInt8] {
        length.load(ordering: .relaxed) == 0 ? [] : try file.readAll(limit: limit)
    }

    /// Releases the lock; `removing` removes the file before, while the lock is still held.
    package func release(removing: Bool) throws {
        defer {
            // A process that is being started by another thread has a copy of the descriptor until
            // it executes its program. Closing alone would leave the lock to it until then.
            _ = folio_ofd_unlock(file.descriptor)
            file.close()
        }
        if removing { try Disk.removeFileIfPresent(path) }
    }
}
