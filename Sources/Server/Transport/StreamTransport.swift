package import Coding
import Foundation

/// How messages follow each other in a stream of bytes.
package enum MessageFraming: Sendable {
    /// `Content-Length: n`, an empty line, n bytes.
    case headers
    /// One message a line.
    case lines
}

/// What stands where a message should be. The next message can't be found after it.
struct FramingFailure: Error {
    let reason: String
}

/// Messages over two descriptors, such as standard input and output. Each is used by a thread of
/// its own.
package struct StreamTransport: MessageTransport {
    private let reader: MessageReader
    private let writer: MessageWriter

    package init(input: Int32, output: Int32, _ framing: MessageFraming) {
        reader = MessageReader(descriptor: input, framing)
        writer = MessageWriter(descriptor: output, framing)
    }

    package func receive(_ receiver: @escaping @Sendable (ReceivedMessage) -> Void) {
        Thread.detachNewThread { [reader] in
            var reader = reader
            while true {
                do {
                    guard let bytes = try reader.next() else { break }
                    receiver(.message(bytes))
                } catch {
                    receiver(.failure((error as? FramingFailure)?.reason ?? "\(error)"))
                    break
                }
            }
            receiver(.end)
        }
    }

    package func start(drained: @escaping @Sendable () -> Void) { writer.start(drained: drained) }
    package func send(_ message: JSONValue) { writer.send(message) }
    package var isBlocked: Bool { writer.isBlocked }
    package func finish() { writer.finish() }
}
