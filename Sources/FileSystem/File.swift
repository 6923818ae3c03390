internal import CSystem
internal import Glibc
internal import Synchronization

/// An open file with complete reads and writes and a reliable fsync.
///
/// After a failed fsync, every later write or fsync throws `.synchronizationFailed`, because the
/// kernel has dropped the data and another fsync would succeed. Positional reads may come from any
/// thread.
package final class File: Sendable {
    package enum Access: Sendable {
        case read, readWrite
        /// Creates the file, which must not exist.
        case create(mode: UInt32 = 0o666)
        /// Creates the file if it does not exist.
        case openOrCreate(mode: UInt32 = 0o666)
    }

    package let path: String
    package let descriptor: Int32
    private let poison = Atomic<Int32>(0)
    private let isOpen = Atomic<Bool>(true)
    /// The size when the file was opened.
    private let firstSize: Int64

    /// Opens a regular file. A symbolic link as the last component, a FIFO, a device or a folder is
    /// rejected without blocking.
    package convenience init(_ path: String, _ access: Access = .read) throws {
        try self.init(descriptor: openDescriptor(path, access.flags, mode: access.mode), path: path)
    }

    /// Takes ownership of a descriptor. Closes it and throws if it is not a regular file.
    init(descriptor: Int32, path: String) throws {
        self.path = path
        self.descriptor = descriptor
        let status: FileStatus
        do {
            status = try FileStatus(descriptor: descriptor, path: path)
        } catch {
            _ = Glibc.close(descriptor)
            throw error
        }
        guard status.kind == .file else {
            _ = Glibc.close(descriptor)
            throw FileSystemError(.unsuitableFile, operation: "open", path: path, detail: "not a plain file")
        }
        firstSize = status.size
    }

    deinit { close() }

    /// Closes the descriptor; `deinit` does the same. Errors are ignored, because data that must be
    /// durable have been synchronized before.
    package func close() {
        guard isOpen.exchange(false, ordering: .sequentiallyConsistent) else { return }
        _ = Glibc.close(descriptor)
    }

    package func status() throws -> FileStatus { try FileStatus(descriptor: descriptor, path: path) }

    // MARK: Reading

    /// Reads until `buffer` is full or the file ends; returns the number of bytes read.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        var done = 0
        while done < buffer.count {
            let count = try transfer(.read, path, upTo: buffer.count - done) {
                negated(pread(descriptor, buffer.baseAddress! + done, $0, off_t(offset) + off_t(done)))
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Reads the whole file; throws `.tooLarge` if it has more than `limit` bytes, without reading
    /// more than that.
    package func readAll(limit: Int) throws -> [UInt8] { try readAll(limit: limit, expecting: status().size) }

    /// The same for a file that has just been opened, with the size at that time.
    func readNew(limit: Int) throws -> [UInt8] { try readAll(limit: limit, expecting: firstSize) }

    private func readAll(limit: Int, expecting expected: Int64) throws -> [UInt8] {
        guard expected <= limit else { throw tooLarge(limit) }
        if expected > 0 {
            // The size at the time of the status is read, even if the file has grown since.
            return try [UInt8](unsafeUninitializedCapacity: Int(expected)) { buffer, count in
                count = try read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
            }
        }
        // Files in /proc report size 0: read until the end.
        var bytes: [UInt8] = []
        var chunk = 4096
        while true {
            let start = bytes.count
            let room = limit - start < chunk ? limit - start + 1 : chunk
            bytes += [UInt8](repeating: 0, count: room)
            let count = try bytes.withUnsafeMutableBytes {
                try read(into: UnsafeMutableRawBufferPointer(rebasing: $0[start...]), at: Int64(start))
            }
            bytes.removeLast(room - count)
            if bytes.count > limit { throw tooLarge(limit) }
            if count < room { return bytes }
            chunk = 1 << 20
        }
    }

    private func tooLarge(_ limit: Int) -> FileSystemError {
        FileSystemError(.tooLarge, operation: "read", path: path, detail: "more than the \(limit) bytes allowed")
    }

    // MARK: Writing

    /// Writes all of `bytes` at `offset`, with several system calls if necessary.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        try checkPoison()
        var done = 0
        while done < bytes.count {
            let count = try transfer(.write, path, upTo: bytes.count - done) {
                negated(pwrite(descriptor, bytes.baseAddress! + done, $0, off_t(offset) + off_t(done)))
            }
            try progressed(count)
            done += count
        }
    }

    /// Writes all of `bytes` at the file position, which follows the last appended bytes.
    package func append(_ bytes: UnsafeRawBufferPointer) throws {
        try checkPoison()
        var done = 0
        while done < bytes.count {
            let count = try transfer(.write, path, upTo: bytes.count - done) {
                negated(Glibc.write(descriptor, bytes.baseAddress! + done, $0))
            }
            try progressed(count)
            done += count
        }
    }

    /// Writes all of `bytes` at the file position, which follows the last appended bytes.
    package func append(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try append($0) } }

    package func truncate(to size: Int64) throws {
        try checkPoison()
        try perform(.truncate, path) { negated(ftruncate(descriptor, off_t(size))) }
    }

    package func setMode(_ mode: UInt32) throws {
        try perform(.chmod, path) { negated(fchmod(descriptor, mode_t(mode))) }
    }

    /// Makes the kernel start writing dirty pages of the file, so that a later `synchronize` has
    /// less to do. This is only a hint; it does not block and gives no guarantee.
    package func startSynchronizing() { _ = folio_start_writing(descriptor) }

    /// Synchronizes the file. After a failure the content of the file is undefined: write it again
    /// to another file.
    package func synchronize() throws {
        try checkPoison()
        do {
            try perform(.fsync, path, retrying: false) { negated(fsync(descriptor)) }
        } catch let error as FileSystemError {
            poison.store(error.errno, ordering: .sequentiallyConsistent)
            throw poisoned(error.errno)
        }
    }

    private func checkPoison() throws {
        let number = poison.load(ordering: .sequentiallyConsistent)
        if number != 0 { throw poisoned(number) }
    }

    private func poisoned(_ number: Int32) -> FileSystemError {
        FileSystemError(.synchronizationFailed, operation: "fsync", path: path, errno: number)
    }

    /// A write that repeatedly returns 0 would loop forever.
    private func progressed(_ count: Int) throws {
        if count == 0 { throw FileSystemError(operation: "write", path: path, errno: EIO) }
    }
}

extension File.Access {
    var flags: Int32 {
        // Without O_NONBLOCK, opening a planted FIFO would block forever.
        let common = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        return switch self {
        case .read: O_RDONLY | common
        case .readWrite: O_RDWR | common
        case .create: O_RDWR | O_CREAT | O_EXCL | common
        case .openOrCreate: O_RDWR | O_CREAT | common
        }
    }

    var mode: mode_t {
        switch self {
        case .read, .readWrite: 0
        case .create(let mode), .openOrCreate(let mode): mode_t(mode)
        }
    }
}
