import Coding
import Foundation
import Interchange
import Synchronization

/// Writes messages to a descriptor, on a thread of its own, in the order in which they are sent.
///
/// Answers wait as long as it takes. Notifications are for a client that reads: while much waits,
/// ``isBlocked`` tells not to make any.
final class MessageWriter: Sendable {
    private struct State: Sendable {
        var queue: [[UInt8]] = []
        var waitingBytes = 0
        var hasFailed = false
        var isFinishing = false
        var wasBlocked = false
    }

    private let descriptor: Int32
    private let framing: MessageFraming
    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// So many bytes may wait before notifications are held back.
    private static let limit = 1 << 20

    init(descriptor: Int32, _ framing: MessageFraming) {
        self.descriptor = descriptor
        self.framing = framing
    }

    /// - Parameter drained: Called when the client reads again.
    func start(drained: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            run(drained)
            ended.signal()
        }
    }

    /// Whether the client does not read what waits.
    var isBlocked: Bool {
        state.withLock { state in
            if state.waitingBytes > Self.limit { state.wasBlocked = true }
            return state.waitingBytes > Self.limit
        }
    }

    func send(_ message: JSONValue) {
        let content = Array(JSONWriter.text(message).utf8)
        let bytes =
            switch framing {
            case .headers: Array("Content-Length: \(content.count)\r\n\r\n".utf8) + content
            case .lines: content + [UInt8(ascii: "\n")]
            }
        state.withLock { state in
            guard !state.hasFailed else { return }
            state.queue.append(bytes)
            state.waitingBytes += bytes.count
        }
        work.signal()
    }

    /// Waits until all is written, or nobody reads any more.
    func finish() {
        state.withLock { $0.isFinishing = true }
        work.signal()
        ended.wait()
    }

    private func run(_ drained: @Sendable () -> Void) {
        while true {
            let next = state.withLock { state in state.queue.isEmpty ? nil : state.queue.removeFirst() }
            guard let next else {
                if state.withLock({ $0.isFinishing }) { return }
                work.wait()
                continue
            }
            let isWritten = write(next)
            let isDrained = state.withLock { state in
                state.waitingBytes -= next.count
                if !isWritten {
                    state.hasFailed = true
                    state.queue = []
                    state.waitingBytes = 0
                }
                defer { if state.waitingBytes <= Self.limit { state.wasBlocked = false } }
                return state.wasBlocked && state.waitingBytes <= Self.limit
            }
            if isDrained { drained() }
        }
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var written = 0
        while written < bytes.count {
            let done = bytes.withUnsafeBytes { buffer in
                Foundation.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if done < 0, errno != EINTR { return false }
            written += max(0, done)
        }
        return true
    }
}
