/// Parses JSON text (RFC 8259) strictly, with limited depth.
package struct JSONReader {
    package struct Failure: Error, CustomStringConvertible {
        package let message: String
        /// The offset in bytes from the start of the text.
        package let offset: Int
        package var description: String { "\(message) at byte \(offset)" }
    }

    private let bytes: [UInt8]
    private let greatestDepth: Int
    private var position = 0

    /// The single value of the text. A duplicate name in an object is an error.
    package static func value(of bytes: [UInt8], greatestDepth: Int = 256) throws -> JSONValue {
        var reader = JSONReader(bytes: bytes, greatestDepth: greatestDepth)
        reader.skipSpace()
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.position == bytes.count else { throw reader.failure("text after the JSON value") }
        return value
    }

    package static func value(of text: String) throws -> JSONValue { try value(of: Array(text.utf8)) }

    private init(bytes: [UInt8], greatestDepth: Int) {
        self.bytes = bytes
        self.greatestDepth = greatestDepth
    }

    private func failure(_ message: String) -> Failure { Failure(message: message, offset: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ bytes[position..<end].elementsEqual($0) }) else {
            throw failure("not a JSON value")
        }
        position = end
        return value
    }

    private mutating func value(depth: Int) throws -> JSONValue {
        guard depth < greatestDepth else { throw failure("JSON nested more than \(greatestDepth) deep") }
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw failure("the JSON text ends too early")
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws -> JSONValue {
        position += 1
        var members: [String: JSONValue] = [:]
        skipSpace()
        if skip(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("expected a name in quotes") }
            let name = try string()
            skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw failure("expected a colon") }
            skipSpace()
            let member = try value(depth: depth + 1)
            guard members.updateValue(member, forKey: name) == nil else {
                throw failure("the name \"\(name)\" occurs twice")
            }
            skipSpace()
            if skip(UInt8(ascii: "}")) { return .object(members) }
            guard skip(UInt8(ascii: ",")) else { throw failure("expected a comma or a closing brace") }
        }
    }

    private mutating func array(depth: Int) throws -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        skipSpace()
        if skip(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            skipSpace()
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if skip(UInt8(ascii: "]")) { return .array(elements) }
            guard skip(UInt8(ascii: ",")) else { throw failure("expected a comma or a closing bracket") }
        }
    }

    private mutating func number() throws -> JSONValue {
        let start = position
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
        _ = skip(UInt8(ascii: "-"))
        guard isDigit(next) else { throw failure("not a JSON value") }
        if !skip(UInt8(ascii: "0")) { while isDigit(next) { position += 1 } }
        if skip(UInt8(ascii: ".")) {
            guard isDigit(next) else { throw failure("expected a digit") }
            while isDigit(next) { position += 1 }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            guard isDigit(next) else { throw failure("expected a digit") }
            while isDigit(next) { position += 1 }
        }
        return .number(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func string() throws -> String {
        position += 1
        let start = position
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { position += 1 }
        // Most strings have no escapes and end here.
        var text = bytes[start..<position]
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw failure("invalid UTF-8 in a string")
                }
                return string
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw failure("a control character in a string")
            default: text.append(byte)
            }
        }
        throw failure("a string without an end")
    }

    private mutating func escape(into text: inout ArraySlice<UInt8>) throws {
        guard let byte = next else { throw failure("a string without an end") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            if (0xD800..<0xDC00).contains(code) {
                guard skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
                    throw failure("half of a surrogate pair")
                }
                let low = try hexadecimal()
                guard (0xDC00..<0xE000).contains(low) else { throw failure("half of a surrogate pair") }
                code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw failure("half of a surrogate pair") }
            text.append(contentsOf: Array(String(scalar).utf8))
        default: throw failure("an unknown escape in a string")
        }
    }

    private mutating func hexadecimal() throws -> UInt32 {
        guard position + 4 <= bytes.count,
            let code = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
        else {
            throw failure("expected four hexadecimal digits")
        }
        position += 4
        return code
    }
}
