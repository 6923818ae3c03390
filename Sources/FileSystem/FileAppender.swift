internal import Dispatch
internal import Synchronization

/// Appends to a file. The first 16 MiB are written by the caller's thread; after them, a thread of
/// the appender writes while the caller prepares the next piece. Writing to the disk starts early.
///
///     let appender = FileAppender(file)
///     try appender.append(first: source.read(into: appender.space, at: 0))
///     try appender.finish()
///
/// Used by one thread. ``finish()`` or ``stop()`` must be called before the file is closed.
package final class FileAppender: @unchecked Sendable {
    // Sendable by proof: the variables are used by the caller's thread, but for `early` and the
    // bytes of buffers that are being written. Those belong to the thread that writes; a buffer is
    // handed over through the queue, and back through the semaphore.
    package let file: File
    /// The size of the file when everything is written.
    package private(set) var offset: Int64 = 0
    private let buffers: [UnsafeMutableRawBufferPointer]
    private var current = 0
    /// Counts the buffers that are neither current nor being written.
    private let free = DispatchSemaphore(value: bufferCount - 1)
    private let queue = DispatchQueue(label: "folio.appender")
    private let failure = Mutex<(any Error)?>(nil)
    private var early = EarlyWriting()

    private static let bufferCount = 4
    private static let bufferSize = 1 << 18
    /// Less than this takes less time than starting a thread is worth.
    private static let smallestForThreads: Int64 = 16 << 20

    /// - Parameter file: An empty file. The caller closes it.
    package init(_ file: File) {
        self.file = file
        buffers = (0..<Self.bufferCount).map { _ in .allocate(byteCount: Self.bufferSize, alignment: 4096) }
    }

    // Work on the queue keeps the appender alive, so nothing is being written any more.
    deinit { for buffer in buffers { buffer.deallocate() } }

    /// A buffer for the next piece; another one after each call of ``append(first:)``.
    package var space: UnsafeMutableRawBufferPointer { buffers[current] }

    /// Appends the first bytes of ``space``.
    /// - Throws: `FileSystemError`, also for earlier pieces.
    package func append(first count: Int) throws {
        if offset < Self.smallestForThreads {
            try write(UnsafeRawBufferPointer(rebasing: space[..<count]))
            offset += Int64(count)
            return
        }
        offset += Int64(count)
        try enqueue(then: { $0.free.signal() }) { [current] appender in
            try appender.write(UnsafeRawBufferPointer(rebasing: appender.buffers[current][..<count]))
        }
        free.wait()
        current = (current + 1) % Self.bufferCount
    }

    /// Appends a copy of bytes that lie outside of ``space``.
    /// - Throws: `FileSystemError`, also for earlier pieces.
    package func append(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(space.count)
            space.copyBytes(from: piece)
            try append(first: piece.count)
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Appends bytes.
    /// - Throws: `FileSystemError`, also for earlier pieces.
    package func append(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try append($0) } }

    /// Replaces bytes that were appended.
    /// - Throws: `FileSystemError`, also for earlier pieces.
    package func overwrite(_ bytes: [UInt8], at place: Int64) throws {
        if offset < Self.smallestForThreads { return try bytes.withUnsafeBytes { try file.write($0, at: place) } }
        try enqueue { appender in try bytes.withUnsafeBytes { try appender.file.write($0, at: place) } }
    }

    /// Waits until everything is written.
    /// - Throws: `FileSystemError` of a piece.
    package func finish() throws {
        stop()
        try check()
    }

    /// Waits until nothing is being written any more.
    package func stop() { queue.sync {} }

    private func write(_ piece: UnsafeRawBufferPointer) throws {
        try file.append(piece)
        early.wrote(piece.count, to: file)
    }

    private func check() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }

    /// Work after an error is left out.
    private func enqueue(
        then end: @escaping @Sendable (FileAppender) -> Void = { _ in },
        _ work: @escaping @Sendable (FileAppender) throws -> Void
    ) throws {
        try check()
        let hook = FaultInjection.current
        queue.async {
            FaultInjection.carrying(hook) {
                guard self.failure.withLock({ $0 == nil }) else { return }
                do { try work(self) } catch { self.failure.withLock { $0 = error } }
            }
            end(self)
        }
    }
}
