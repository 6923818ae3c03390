internal import FileSystem
internal import Foundation
internal import Coding
internal import Synchronization

/// The lock of a document that is open for editing: a kernel lock on a hidden file beside it, whose
/// content describes the holder.
///
/// A process that dies loses the lock, regardless of the file's content. The store itself is never
/// locked, because closing any of its file descriptors would drop SQLite's own locks.
package final class DocumentLock: Sendable {
    private let lock: FileLock

    /// The paths of the lock files that this process holds.
    private static let held = Mutex<[ObjectIdentifier: String]>([:])

    /// Whether a process that ended without releasing the lock has left the lock's file.
    let wasLeft: Bool

    private init(_ lock: FileLock, wasLeft: Bool) {
        self.lock = lock
        self.wasLeft = wasLeft
        let file = lock.path
        Self.held.withLock { $0[ObjectIdentifier(self)] = file }
    }

    deinit { forget() }

    private func forget() { Self.held.withLock { $0[ObjectIdentifier(self)] = nil } }

    /// Removes the lock files that this process holds, and so the locks. For a program that exits
    /// without closing its documents and is not writing any of them.
    package static func removeFiles() {
        held.withLock { for file in $0.values { _ = try? Disk.removeFileIfPresent(file) } }
    }

    /// Acquires the lock of the document at `path`, which need not exist yet.
    /// - Throws: `DocumentError`: `.locked` with the holder; `.permission` if no lock file can be
    ///   created.
    package static func acquire(_ path: String, document: String?) throws -> DocumentLock {
        let current = LockHolder.current(document: document)
        return try DocumentError.stage(.locking, path) {
            let file = try lockFile(for: path)
            if file != siblingFile(for: path) { try Disk.makeDirectories(FilePath.parent(file), mode: 0o700) }
            guard let lock = try FileLock.acquire(file) else { throw busy(holder(in: file), path) }
            let previous = try? decoded(lock.read(limit: largestFile))
            // A free lock does not prove that a holder on another machine is gone: not every file
            // system passes kernel locks on to other machines.
            if let previous, !previous.isOfThisMachine(current) {
                try lock.release(removing: false)
                throw busy(previous, path)
            }
            do {
                try lock.write(current.json)
            } catch {
                try? lock.release(removing: true)
                throw error
            }
            return DocumentLock(lock, wasLeft: previous != nil)
        }
    }

    /// Throws the errors of ``acquire(_:document:)``, and creates no file.
    package static func check(_ path: String) throws {
        try DocumentError.stage(.locking, path) {
            let file = try lockFile(for: path), previous = holder(in: file)
            let isForeign = previous.map { !$0.isOfThisMachine(LockHolder.current(document: nil)) } ?? false
            if isForeign || (try? FileLock.isHeld(file)) == true { throw busy(previous, path) }
        }
    }

    /// Adds the document's UUID to the lock file. Errors are ignored, because it is only
    /// information for readers of the file.
    package func note(document: String) { try? lock.write(LockHolder.current(document: document).json) }

    package func release() {
        forget()
        try? lock.release(removing: true)
    }

    /// The holder of the lock of the document at `path`; nil if it is not locked.
    package static func holder(of path: String) -> LockHolder? {
        for file in [siblingFile(for: path), runtimeFile(for: path)].compactMap({ $0 }) {
            guard (try? FileLock.isHeld(file)) == true else { continue }
            return holder(in: file)
                ?? LockHolder(
                    pid: 0, host: "?", bootID: "", user: "?", program: "?", document: nil, since: .distantPast)
        }
        return nil
    }

    private static func busy(_ holder: LockHolder?, _ path: String) -> DocumentError {
        let who = holder.map { "open in \($0)" } ?? "open in another program"
        return DocumentError(
            .locked, who, path: path, stage: .locking, hint: "try again later, or open it for reading", holder: holder)
    }

    private static func holder(in file: String) -> LockHolder? {
        try? decoded(Disk.read(file, limit: largestFile))
    }

    private static let largestFile = 64 << 10

    /// The holder described by a lock file; nil if the file is empty.
    private static func decoded(_ bytes: [UInt8]) throws -> LockHolder? {
        bytes.isEmpty ? nil : try JSONCoding.decoder.decode(LockHolder.self, from: Data(bytes))
    }

    // MARK: Location of the lock file

    private static func lockFile(for path: String) throws -> String {
        let sibling = siblingFile(for: path)
        if Disk.isWritable(FilePath.parent(path)) { return sibling }
        // No file can be created in the folder, but the document itself may be writable.
        guard Disk.isWritable(path), let runtime = runtimeFile(for: path) else {
            throw DocumentError(.permission, "its folder can't be written to", path: path)
        }
        return runtime
    }

    private static func siblingFile(for path: String) -> String {
        FilePath.join(FilePath.parent(path), ".\(FilePath.name(path)).lock")
    }

    private static func runtimeFile(for path: String) -> String? {
        guard let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
            return nil
        }
        return "\(runtime)/folio/locks/\(Hex.encode(SHA256.digest(Array(path.utf8)).prefix(16))).lock"
    }
}
