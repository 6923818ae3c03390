internal import CSystem
internal import Glibc
internal import Synchronization

/// A lock on a lock file, held until it is released or the process ends, however it ends.
///
/// The file itself means nothing: only the kernel's lock counts. Two `FileLock`s of one process
/// exclude each other too. A holder may write who it is into the file.
package final class FileLock: Sendable {
    package enum Mechanism: Sendable, Hashable {
        /// `F_OFD_SETLK`: works on network file systems too.
        case openFileDescription
        /// `flock`.
        case wholeFile
    }

    private let file: File
    /// How many bytes the file has.
    private let length: Atomic<Int64>
    package var path: String { file.path }

    private init(file: File, length: Int64) {
        self.file = file
        self.length = Atomic(length)
    }

    /// Takes the lock without waiting, making the file where there is none; nil where somebody else
    /// holds it.
    package static func acquire(
        _ path: String, exclusive: Bool = true, mechanism: Mechanism = .openFileDescription, mode: UInt32 = 0o666
    ) throws -> FileLock? {
        while true {
            let file = try File(path, .openOrCreate(mode: mode))
            guard try lock(file, exclusive: exclusive, mechanism) else { return nil }
            // The last holder may have removed the file between our opening and locking it: then
            // the lock is on nothing.
            let held = try file.status().identity
            if let current = try Disk.identity(of: path), current.isSameFile(as: held) {
                return FileLock(file: file, length: held.size)
            }
        }
    }

    /// Whether somebody (this process included) holds the lock so that it could not be taken
    /// exclusively. False where there is no file.
    package static func isHeld(_ path: String, mechanism: Mechanism = .openFileDescription) throws -> Bool {
        do {
            let file = try File(path, .read)
            switch mechanism {
            case .openFileDescription:
                return try perform(.lock, path) { Int(folio_ofd_test(file.descriptor, 1)) } == 1
            case .wholeFile:
                // Has no test of its own: a lock taken here goes with the descriptor.
                return try !lock(file, exclusive: true, mechanism)
            }
        } catch let error as FileSystemError where error.code == .notFound {
            return false
        }
    }

    private static func lock(_ file: File, exclusive: Bool, _ mechanism: Mechanism) throws -> Bool {
        do {
            try perform(.lock, file.path) {
                switch mechanism {
                case .openFileDescription: Int(folio_ofd_lock(file.descriptor, exclusive ? 1 : 0))
                case .wholeFile: negated(flock(file.descriptor, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB))
                }
            }
            return true
        } catch let error as FileSystemError where error.errno == EAGAIN || error.errno == EACCES {
            return false
        }
    }

    /// Says in the file who holds the lock, for others to read. Not durable: it is worth nothing
    /// after the process ends.
    package func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        if length.exchange(Int64(bytes.count), ordering: .relaxed) > bytes.count {
            try file.truncate(to: Int64(bytes.count))
        }
    }

    /// What the last holder wrote who did not come to removing the file; empty where this lock made
    /// the file.
    package func read(limit: Int) throws -> [UInt8] {
        length.load(ordering: .relaxed) == 0 ? [] : try file.readAll(limit: limit)
    }

    /// Gives the lock back; `removing` takes the file away first, while it is still ours.
    package func release(removing: Bool) throws {
        defer { file.close() }
        if removing { try Disk.removeFileIfPresent(path) }
    }
}
