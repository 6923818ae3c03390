import Foundation

/// Bytes on their way to a descriptor or into memory, gathered into large writes.
///
/// A write that fails is remembered and thrown by `finish()` (and `check()`): writers in loops need
/// not look. After `fail(_:)` nothing is written any more, so that what is there ends in the middle
/// of a value and passes for nothing whole.
final class ByteSink {
    private static let capacity = 1 << 16
    private var buffer: [UInt8] = []
    /// How many bytes are gathered before they leave.
    private var limit = ByteSink.capacity
    /// nil keeps everything in memory, or waits for the first byte.
    private(set) var descriptor: Int32?
    private let opening: (() throws -> Int32)?
    /// The file that errors name; nil for standard output.
    private let path: String?
    private var failure: Int32 = 0
    /// How often the buffer has been handed on.
    private var flushes = 0
    /// What kept the bytes themselves from being had.
    private var trouble: (any Error)?

    init(descriptor: Int32?, path: String? = nil) {
        self.descriptor = descriptor
        self.path = path
        opening = nil
        buffer.reserveCapacity(Self.capacity)
    }

    /// Writes to what is opened with the first byte.
    init(path: String, opening: @escaping () throws -> Int32) {
        self.path = path
        self.opening = opening
        limit = 1
        buffer.reserveCapacity(Self.capacity)
    }

    /// What was written to a sink in memory.
    var text: String { String(decoding: buffer, as: UTF8.self) }

    func write(_ byte: UInt8) {
        guard trouble == nil else { return }
        buffer.append(byte)
        if buffer.count >= limit { flush() }
    }

    func write(_ text: some StringProtocol) {
        guard trouble == nil else { return }
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= limit { flush() }
    }

    func write(_ bytes: Data) {
        guard trouble == nil else { return }
        buffer.append(contentsOf: bytes)
        if buffer.count >= limit { flush() }
    }

    func flush() {
        if let opening, descriptor == nil {
            guard trouble == nil else { return }
            limit = Self.capacity
            do { descriptor = try opening() } catch { fail(error) }
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

    /// A place in what is written, for `goBack(to:)`.
    struct Mark {
        fileprivate let flushes: Int
        fileprivate let count: Int
    }

    var mark: Mark { Mark(flushes: flushes, count: buffer.count) }

    /// Forgets what was written since a mark; false where some of that has been handed on.
    func goBack(to mark: Mark) -> Bool {
        guard flushes == mark.flushes else { return false }
        buffer.removeSubrange(mark.count...)
        trouble = nil
        return true
    }

    /// - Throws: the failure of an earlier write, if there was one.
    func check() throws {
        if let trouble { throw trouble }
        guard failure != 0 else { return }
        throw CommandError(
            .inputOutput, failure == ENOSPC ? "full" : "inputOutput", what: path == nil ? Self.what : nil,
            String(cString: strerror(failure)), path: path)
    }

    /// What has failed where the output could not be written.
    static let what = "output"

    /// Notes that what is to be written can't be had: the output ends here.
    func fail(_ error: any Error) { trouble = trouble ?? error }

    /// Whether something could not be written.
    var hasFailed: Bool { failure != 0 || trouble != nil }

    /// Whether a write failed since the reader of a pipe is gone.
    var isPipeClosed: Bool { failure == EPIPE }

    func finish() throws {
        flush()
        try check()
    }
}
