import Foundation

/// Reads messages from a descriptor, on the thread that calls it.
struct MessageReader: Sendable {
    private let descriptor: Int32
    private let framing: MessageFraming
    private var bytes: [UInt8] = []
    private var position = 0
    private var hasEnded = false

    /// The largest message in bytes.
    static let greatestSize = 256 << 20
    private static let greatestHeader = 8192
    private static let pieceSize = 1 << 16

    init(descriptor: Int32, _ framing: MessageFraming) {
        self.descriptor = descriptor
        self.framing = framing
    }

    /// The next message; nil at the end of the input, also in the middle of a message.
    /// - Throws: ``FramingFailure``.
    mutating func next() throws -> [UInt8]? {
        switch framing {
        case .lines: try nextLine()
        case .headers: try nextFramed()
        }
    }

    /// Reads more; false at the end.
    private mutating func fill() -> Bool {
        guard !hasEnded else { return false }
        if position > 0 {
            bytes.removeSubrange(..<position)
            position = 0
        }
        let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
            var done = -1
            repeat { done = read(descriptor, buffer.baseAddress, buffer.count) } while done < 0 && errno == EINTR
            count = max(0, done)
        }
        bytes += piece
        hasEnded = piece.isEmpty
        return !hasEnded
    }

    private mutating func nextLine() throws -> [UInt8]? {
        var searched = 0
        while true {
            if let end = bytes[(position + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
                var line = bytes[position..<end]
                position = end + 1
                searched = 0
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                if line.allSatisfy({ $0 == UInt8(ascii: " ") }) { continue }
                return Array(line)
            }
            searched = bytes.count - position
            guard searched <= Self.greatestSize else {
                throw FramingFailure(reason: "a line is longer than \(Self.greatestSize) bytes")
            }
            guard fill() else {
                // The last line may lack its end.
                guard searched > 0 else { return nil }
                defer { position = bytes.count }
                return Array(bytes[position...])
            }
        }
    }

    private mutating func nextFramed() throws -> [UInt8]? {
        guard let size = try header() else { return nil }
        while bytes.count - position < size { guard fill() else { return nil } }
        defer { position += size }
        return Array(bytes[position..<(position + size)])
    }

    /// Reads the header of a message; nil at the end of the input.
    private mutating func header() throws -> Int? {
        var size: Int?
        var length = 0
        while true {
            guard let line = try headerLine() else { return nil }
            length += line.utf8.count + 2
            guard length <= Self.greatestHeader else {
                throw FramingFailure(reason: "the header of a message is too long")
            }
            if line.isEmpty {
                guard let size else {
                    throw FramingFailure(reason: "the header of a message has no Content-Length")
                }
                return size
            }
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2 else {
                throw FramingFailure(reason: "\(line.prefix(60)) is no header of a message")
            }
            guard parts[0].lowercased() == "content-length" else { continue }
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[1]), size == nil,
                number <= Self.greatestSize
            else {
                throw FramingFailure(
                    reason: "\(parts[1].prefix(40)) is no length of a message, or one above \(Self.greatestSize)")
            }
            size = number
        }
    }

    private mutating func headerLine() throws -> String? {
        while true {
            if let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) {
                var line = bytes[position..<end]
                position = end + 1
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return String(decoding: line, as: UTF8.self)
            }
            guard bytes.count - position <= Self.greatestHeader else {
                throw FramingFailure(reason: "the header of a message is too long")
            }
            guard fill() else { return nil }
        }
    }
}
