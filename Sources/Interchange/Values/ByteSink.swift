package import Foundation

/// A program that shows output page by page, and ends when its user wants.
package protocol OutputPager: AnyObject {
    /// Whether the program runs, so that the terminal is its.
    var isRunning: Bool { get }
    /// Whether the user has ended the program before the end of the output.
    var isClosed: Bool { get }
    /// Writes all bytes. Returns the number of the error, or 0.
    func write(_ bytes: [UInt8]) -> Int32
    /// Waits until the user has ended the program. Returns the number of the error, or 0.
    func finish() -> Int32
}

/// A buffered output of bytes to a file descriptor or into memory.
///
/// An error of writing is recorded and thrown by `finish()` and `check()`, so callers need not
/// check every write. After `fail(_:)` nothing more is written, so that the incomplete output ends
/// within a value and can't be mistaken for a complete one.
package final class ByteSink {
    private static let capacity = 1 << 16
    private var buffer: [UInt8] = []
    /// The number of buffered bytes at which the buffer is written.
    private var limit = ByteSink.capacity
    /// The file descriptor; nil for a sink in memory, and before the first byte of a sink that
    /// opens its file on demand.
    package private(set) var descriptor: Int32?
    private let opening: (() throws -> Int32)?
    /// The path of the file for errors; nil for standard output.
    private let path: String?
    private var failure: Int32 = 0
    /// The number of times the buffer has been written.
    private var flushes = 0
    /// The pager of a terminal, if the output goes to one.
    package var pager: (any OutputPager)?
    /// The error that ended the production of the output.
    private var trouble: (any Error)?

    package init(descriptor: Int32?, path: String? = nil) {
        self.descriptor = descriptor
        self.path = path
        opening = nil
        buffer.reserveCapacity(Self.capacity)
    }

    /// Creates a sink that opens its file with the first byte.
    package init(path: String, opening: @escaping () throws -> Int32) {
        self.path = path
        self.opening = opening
        limit = 1
        buffer.reserveCapacity(Self.capacity)
    }

    /// The content of a sink in memory.
    package var text: String { String(decoding: buffer, as: UTF8.self) }

    package func write(_ byte: UInt8) {
        guard trouble == nil else { return }
        buffer.append(byte)
        if buffer.count >= limit { flush() }
    }

    package func write(_ text: some StringProtocol) {
        guard trouble == nil else { return }
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= limit { flush() }
    }

    package func write(_ bytes: Data) {
        guard trouble == nil else { return }
        buffer.append(contentsOf: bytes)
        if buffer.count >= limit { flush() }
    }

    package func flush() {
        if let opening, descriptor == nil {
            guard trouble == nil else { return }
            limit = Self.capacity
            do { descriptor = try opening() } catch { fail(error) }
        }
        if let pager {
            if failure == 0, !buffer.isEmpty { failure = pager.write(buffer) }
            buffer.removeAll(keepingCapacity: true)
            flushes += 1
            return
        }
        guard let descriptor else { return }
        var written = 0
        while written < buffer.count, failure == 0 {
            let count = buffer.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress! + written, $0.count - written)
            }
            if count < 0 {
                if errno != EINTR { failure = errno }
            } else {
                written += count
            }
        }
        buffer.removeAll(keepingCapacity: true)
        flushes += 1
    }

    /// A position in the output, for `goBack(to:)`.
    package struct Mark {
        fileprivate let flushes: Int
        fileprivate let count: Int
    }

    package var mark: Mark { Mark(flushes: flushes, count: buffer.count) }

    /// Discards the output after a mark; returns false if a part of it has already been written.
    package func goBack(to mark: Mark) -> Bool {
        guard flushes == mark.flushes else { return false }
        buffer.removeSubrange(mark.count...)
        trouble = nil
        return true
    }

    /// - Throws: The error of an earlier write, if there was one; `InterchangeError.pagerClosed` if
    ///   the user has ended the pager, so that nobody reads the rest.
    package func check() throws {
        if let trouble { throw trouble }
        if let pager, pager.isClosed { throw InterchangeError.pagerClosed }
        try checkWriting()
    }

    private func checkWriting() throws {
        guard failure != 0 else { return }
        throw InterchangeError(
            .inputOutput, failure == ENOSPC ? "full" : "inputOutput", what: path == nil ? Self.what : nil,
            String(cString: strerror(failure)), path: path)
    }

    /// The name of the failed operation in errors of writing the output.
    package static let what = "output"

    /// Records an error of producing the output, which ends here.
    package func fail(_ error: any Error) { trouble = trouble ?? error }

    /// Whether an error has occurred.
    package var hasFailed: Bool { failure != 0 || trouble != nil }

    /// Whether a write failed because the reader has closed the pipe.
    package var isPipeClosed: Bool { failure == EPIPE }

    /// Writes what is buffered, and waits until the user has ended the pager.
    package func finish() throws {
        flush()
        if let pager {
            let error = pager.finish()
            if failure == 0 { failure = error }
        }
        if let trouble { throw trouble }
        try checkWriting()
    }
}
