import Coding
import Foundation
import Synchronization

/// What a client has sent, taken as it comes, so that a request that is being answered can be
/// cancelled.
final class RequestQueue: Sendable {
    enum Item: Sendable {
        case message(JSONValue)
        /// What is no JSON, or no message.
        case failure(RPCError)
    }

    /// A notification that cancels the request with the parameter `id`.
    static let cancelMethod = "$/cancelRequest"

    let items: AsyncStream<Item>
    private let continuation: AsyncStream<Item>.Continuation
    private let state = Mutex(State())

    private struct State: Sendable {
        var running: (id: JSONValue, task: Task<JSONValue, any Error>)?
        /// Requests that were cancelled before their turn.
        var cancelled: Set<JSONValue> = []
        var waiting: Set<JSONValue> = []
    }

    init() { (items, continuation) = AsyncStream.makeStream() }

    /// Takes what a transport has received.
    func take(_ received: ReceivedMessage) {
        switch received {
        case .message(let bytes):
            do { take(try JSONReader.value(of: bytes)) } catch {
                continuation.yield(.failure(RPCError(.parseError, "\(error)")))
            }
        case .failure(let reason): continuation.yield(.failure(RPCError(.parseError, reason)))
        case .end: continuation.finish()
        }
    }

    private func take(_ message: JSONValue) {
        note(message)
        for part in message.array ?? [] { note(part) }
        continuation.yield(.message(message))
    }

    private func note(_ message: JSONValue) {
        if message["method"]?.string == Self.cancelMethod {
            if let id = message["params"]?["id"] { cancel(id) }
        } else if let id = message["id"], message["method"] != nil {
            state.withLock { _ = $0.waiting.insert(id) }
        }
    }

    /// Cancels the request that is being answered, or one that waits. Of others there is nothing to
    /// cancel.
    private func cancel(_ id: JSONValue) {
        let task = state.withLock { state -> Task<JSONValue, any Error>? in
            if state.running?.id == id { return state.running?.task }
            if state.waiting.contains(id) { state.cancelled.insert(id) }
            return nil
        }
        task?.cancel()
    }

    /// Notes that a request is answered by a task, which is cancelled if the request was.
    func begin(_ id: JSONValue, _ task: Task<JSONValue, any Error>) {
        let isCancelled = state.withLock { state in
            state.waiting.remove(id)
            state.running = (id, task)
            return state.cancelled.remove(id) != nil
        }
        if isCancelled { task.cancel() }
    }

    func end() { state.withLock { $0.running = nil } }
}
