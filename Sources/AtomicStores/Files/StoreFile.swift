import FileSystem
import Foundation
import Storage

/// The file of a store that is read and written as a whole.
///
/// Invariants:
/// 1. The file is replaced under a lock, and only if it is still the one that was read or last
///    written here.
/// 2. If replacing fails at any point, the old or the new content exists completely.
struct StoreFile {
    let path: String
    private let timeout: Double
    private let waitObserver: StoreWaitObserver?
    /// The mode of a new file, before the process's umask is applied.
    private let mode: UInt32
    /// The file's identity when it was last read or written here; nil if there was none.
    private(set) var identity: FileIdentity?

    init(_ description: PersistentStoreDescription) throws {
        let path = description.url.path
        self.path = try Disk.kind(of: path) == .symbolicLink ? Disk.resolve(path) : path
        timeout = description.timeout
        waitObserver = description.waitObserver
        mode = description.fileMode ?? 0o666
        identity = nil
    }

    /// The file's content; nil if the file is missing or empty.
    mutating func read() throws -> [UInt8]? {
        guard let reading = try open() else { return nil }
        let bytes = try reading.bytes()
        return bytes.isEmpty ? nil : bytes
    }

    /// Opens the file for reading; nil if it is missing or empty.
    mutating func open() throws -> StoreReading? {
        switch try Disk.kind(of: path) {
        case nil: return nil
        case .directory: throw StorageError(.notAStore, "This is a folder, not a store", path: path)
        default: break
        }
        let reading = try StoreReading(path)
        identity = reading.identity
        return reading.identity.size == 0 ? nil : reading
    }

    /// Replaces the file durably.
    /// - Throws: `StorageError.busy` if another process has the lock for too long, or has changed
    ///   or replaced the file; nothing is written then. After any other error the file has the old
    ///   content, or the error tells that it has the new one.
    /// - Parameter pieces: The parts of the new content, in order.
    mutating func replace(with pieces: [[UInt8]]) throws {
        try replace { append in for piece in pieces { try piece.withUnsafeBytes(append) } }
    }

    /// Replaces the file as above with the parts that `write` appends. If it throws, the old
    /// content is kept.
    mutating func replace(writing write: (_ append: (UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        let lock = try takeLock()
        defer { try? lock.release(removing: true) }
        guard try Disk.identity(of: path) == identity else {
            throw StorageError(
                .busy, "The store was changed by another program since it was read: open it again", path: path)
        }
        try removeLeftovers()
        var written: FileIdentity?
        do {
            var file: File?, early = EarlyWriting()
            try Disk.replaceFile(
                path, mode: mode, undoes: true,
                writing: {
                    let new = $0
                    file = new
                    try write {
                        try new.append($0)
                        early.wrote($0.count, to: new)
                    }
                }, ready: { written = try file?.status().identity })
            identity = written
        } catch {
            // If the file system can't exchange names, the new file is in place although the last
            // step failed. It is then the current file, and the next attempt may replace it.
            guard let written, (try? Disk.identity(of: path)) == written else { throw error }
            identity = written
            throw StorageError(
                .inputOutput, "The store was replaced, but may come back as it was after a power cut: \(error)",
                path: path, underlying: error)
        }
    }

    /// Removes leftovers of a save that crashed. No store is writing now. But a document that has
    /// the store may be in the middle of an operation; it then removes its own leftovers.
    private func removeLeftovers() throws {
        guard try !FileLock.isHeld(companion("lock")) else { return }
        for leftover in try Replacement.recover(path).leftovers { try Disk.removeTree(leftover) }
    }

    private func companion(_ name: String) -> String {
        FilePath.join(FilePath.parent(path), ".\(FilePath.name(path)).\(name)")
    }

    private func takeLock() throws -> FileLock {
        // This name differs from the lock of documents that are being edited.
        let name = companion("writing")
        let start = Date()
        while true {
            if let lock = try FileLock.acquire(name) { return lock }
            let waited = Date().timeIntervalSince(start)
            guard waited < timeout, waitObserver?.continues(after: waited) ?? true else {
                throw StorageError(.busy, "The store is being written by another process", path: path)
            }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }
}
