package import Coding

/// Carries the messages of one client in both directions. The server knows no more of it, so that
/// the same methods can be served over standard input and output, a socket or HTTP.
package protocol MessageTransport: Sendable {
    /// Begins to receive. Does not wait for messages.
    /// - Parameter receiver: Called with each message as it comes and at last with the end, by one
    ///   thread at a time. A message may come while an earlier one is being answered.
    func receive(_ receiver: @escaping @Sendable (ReceivedMessage) -> Void)

    /// Begins to send.
    /// - Parameter drained: Called when the client takes messages again after ``isBlocked``.
    func start(drained: @escaping @Sendable () -> Void)

    /// Sends a message after those that were sent before. Does not wait for the client.
    func send(_ message: JSONValue)

    /// Whether the client does not take what was sent. The server makes no notifications meanwhile.
    var isBlocked: Bool { get }

    /// Waits until all that was sent has been taken, or cannot be taken any more.
    func finish()
}

/// What a transport receives.
package enum ReceivedMessage: Sendable {
    /// The bytes of a message, which should be JSON.
    case message([UInt8])
    /// Something else in the place of a message, and why the next one can't be found after it.
    case failure(String)
    /// There are no more messages.
    case end
}
