import Coding
import Server
import Synchronization

/// Messages in memory: all requests are there from the beginning.
final class MemoryTransport: MessageTransport {
    private let requests: [String]
    private let answers = Mutex<[JSONValue]>([])

    init(_ requests: [String]) { self.requests = requests }

    var sent: [JSONValue] { answers.withLock { $0 } }

    func receive(_ receiver: @escaping @Sendable (ReceivedMessage) -> Void) {
        for request in requests { receiver(.message(Array(request.utf8))) }
        receiver(.end)
    }

    func start(drained: @escaping @Sendable () -> Void) {}
    func send(_ message: JSONValue) { answers.withLock { $0.append(message) } }
    var isBlocked: Bool { false }
    func finish() {}
}
