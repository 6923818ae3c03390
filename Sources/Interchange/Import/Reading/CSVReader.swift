import Folio

/// Reads the records of delimited text (RFC 4180; lines end with LF or CR LF). An empty field
/// without quotes is nil.
struct CSVReader {
    private var window: ByteWindow
    var delimiter: UInt8
    /// The line of the next record.
    private var line = 1
    /// The line in which the last record began.
    private(set) var recordLine = 1

    private static let quote = UInt8(ascii: "\""), lineFeed: UInt8 = 0x0A, carriageReturn: UInt8 = 0x0D

    init(_ window: ByteWindow, delimiter: UInt8) {
        self.window = window
        self.delimiter = delimiter
    }

    /// The number of bytes that have been read.
    var offset: Int64 { window.offset }

    /// Whether there are no more bytes.
    mutating func isAtEnd() throws -> Bool { try window.peek() == nil }

    /// Reads a record into `fields`. Empty lines are skipped.
    /// - Returns: False at the end.
    /// - Throws: An error for malformed data with line and column.
    mutating func next(_ fields: inout [String?]) throws -> Bool {
        repeat {
            fields.removeAll(keepingCapacity: true)
            recordLine = line
            guard try window.peek() != nil else { return false }
            while try readField(&fields) {}
        } while fields.count == 1 && fields[0] == nil
        return true
    }

    /// - Returns: Whether more fields follow in the record.
    private mutating func readField(_ fields: inout [String?]) throws -> Bool {
        if try window.peek() == Self.quote { return try readQuotedField(&fields) }
        let delimiter = delimiter
        var place = window.position, seen: UInt8 = 0
        scanning: while true {
            while place < window.end {
                let byte = window.bytes[place]
                if byte == delimiter || byte == Self.lineFeed { break scanning }
                seen |= byte
                place += 1
            }
            let length = place - window.position
            let isMore = try window.refill()
            place = window.position + length
            if !isMore { break }
        }
        var end = place
        let isAtEnd = place == window.end
        let isLast = isAtEnd || window.bytes[place] == Self.lineFeed
        if isLast, !isAtEnd, end > window.position, window.bytes[end - 1] == Self.carriageReturn { end -= 1 }
        fields.append(
            end == window.position ? nil : try text(window.position, end, isASCII: seen < 0x80, fields.count + 1))
        if isLast, !isAtEnd { line += 1 }
        window.position = isAtEnd ? place : place + 1
        return !isLast
    }

    private mutating func readQuotedField(_ fields: inout [String?]) throws -> Bool {
        window.position += 1
        var place = window.position, content: [UInt8] = [], seen: UInt8 = 0
        while true {
            while place < window.end, window.bytes[place] != Self.quote {
                if window.bytes[place] == Self.lineFeed { line += 1 }
                seen |= window.bytes[place]
                place += 1
            }
            if place == window.end {
                let length = place - window.position
                guard try window.refill() else { throw failure("a quoted field without an end", fields.count + 1) }
                place = window.position + length
                continue
            }
            content += window.bytes[window.position..<place]
            window.position = place
            guard try window.peekSecond() == Self.quote else { break }
            content.append(Self.quote)
            window.position += 2
            place = window.position
        }
        window.position += 1
        fields.append(
            try content.withUnsafeBufferPointer { try Self.text($0[...], isASCII: seen < 0x80) }
                ?? { throw failure("the field is no UTF-8 text", fields.count + 1) }())
        return try endQuotedField(fields.count)
    }

    private mutating func endQuotedField(_ column: Int) throws -> Bool {
        guard var next = try window.peek() else { return false }
        if next == Self.carriageReturn, try window.peekSecond() == Self.lineFeed {
            window.position += 1
            next = Self.lineFeed
        }
        guard next == delimiter || next == Self.lineFeed else { throw failure("text after a quoted field", column) }
        window.position += 1
        if next == Self.lineFeed { line += 1 }
        return next == delimiter
    }

    private func text(_ start: Int, _ end: Int, isASCII: Bool, _ column: Int) throws -> String {
        guard let text = try Self.text(window.bytes[start..<end], isASCII: isASCII) else {
            throw failure("the field is no UTF-8 text", column)
        }
        return text
    }

    private static func text(_ bytes: some Collection<UInt8>, isASCII: Bool) throws -> String? {
        isASCII ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
    }

    private func failure(_ why: String, _ column: Int) -> InterchangeError {
        .malformed("line \(recordLine), column \(column): \(why)")
    }
}
