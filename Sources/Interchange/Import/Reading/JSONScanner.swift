import Coding
import Folio

/// Reads the values of a JSON text one after the other, without loading the whole text.
struct JSONScanner {
    private var window: ByteWindow
    /// The line of the next byte.
    private(set) var line = 1

    init(_ window: ByteWindow) { self.window = window }

    /// The number of bytes that have been read.
    var offset: Int64 { window.offset }

    /// The next byte that is not white space, without consuming it; nil at the end.
    mutating func next() throws -> UInt8? {
        while let byte = try window.peek() {
            switch byte {
            case 0x0A: line += 1
            case 0x20, 0x0D, 0x09: break
            default: return byte
            }
            window.position += 1
        }
        return nil
    }

    /// Consumes the next byte if it is the given character.
    mutating func accept(_ character: UnicodeScalar) throws -> Bool {
        guard let byte = try next(), UInt32(byte) == character.value else { return false }
        window.position += 1
        return true
    }

    mutating func expect(_ character: UnicodeScalar) throws {
        guard try accept(character) else { throw InterchangeError.malformed("line \(line): expected \(character)") }
    }

    /// Reads the name of a member and the colon after it.
    mutating func name() throws -> String {
        let start = line
        guard try next() == UInt8(ascii: "\""), let name = try value().string else {
            throw InterchangeError.malformed("line \(start): expected the name of a member")
        }
        try expect(":")
        return name
    }

    /// The next value.
    mutating func value() throws -> JSONValue {
        _ = try next()
        let length = try lengthOfValue()
        let bytes = Array(window.bytes[window.position..<window.position + length])
        do {
            let value = try JSONReader.value(of: bytes)
            window.position += length
            for byte in bytes where byte == 0x0A { line += 1 }
            return value
        } catch let failure as JSONReader.Failure {
            throw InterchangeError.malformed(place(of: failure.offset, in: bytes) + failure.message)
        }
    }

    /// The location of a syntax error. For an unterminated value it is the start of the value.
    private func place(of offset: Int, in bytes: [UInt8]) -> String {
        guard
            bytes[min(offset, bytes.count)...].contains(where: { $0 != 0x0A && $0 != 0x20 && $0 != 0x0D && $0 != 0x09 })
        else { return "line \(line): " }
        let before = bytes.prefix(offset)
        let lines = before.count { $0 == 0x0A }
        let column = lines > 0 ? before.reversed().prefix { $0 != 0x0A }.count : offset
        return "line \(line + lines)" + (lines > 0 ? ", column \(column + 1): " : ", byte \(column + 1) of the value: ")
    }

    /// The number of bytes of the next value according to brackets and quotes. The JSON reader
    /// checks its syntax.
    private mutating func lengthOfValue() throws -> Int {
        var length = 0, depth = 0, isText = false
        while true {
            while window.position + length >= window.end {
                if try !window.refill() { return length }
            }
            let byte = window.bytes[window.position + length]
            if isText {
                length += 1
                if byte == UInt8(ascii: "\\") {
                    // An escaped character does not end the string.
                    while window.position + length >= window.end { if try !window.refill() { return length } }
                    length += 1
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                    if depth == 0 { return length }
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth <= 1 { return depth == 1 || length == 0 ? length + 1 : length }
                depth -= 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
                if depth == 0 { return max(length, 1) }
            default: break
            }
            length += 1
        }
    }
}
