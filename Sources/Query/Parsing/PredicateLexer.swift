/// Splits predicate text into tokens, one at a time, over its UTF-8.
struct PredicateLexer {
    let text: String
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    /// An error at a UTF-8 offset.
    func error(_ message: String, at offset: Int, expected: String? = nil, code: QueryError.Code = .syntax)
        -> QueryError
    {
        let characters = String(decoding: bytes[..<min(offset, bytes.count)], as: UTF8.self).count
        return QueryError(code, message, text: text, offset: characters, expected: expected)
    }

    /// The text between two UTF-8 offsets.
    func slice(_ start: Int, _ end: Int) -> String {
        String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// Reads the option letters of `[cdnl]`. Returns nil and reads nothing if no bracket follows.
    /// An unknown letter is an error at its position.
    mutating func options(after end: Int) throws -> ComparisonPredicate.Options? {
        var index = end
        skipSpace(&index)
        guard index < bytes.count, bytes[index] == UInt8(ascii: "[") else { return nil }
        index += 1
        var options: ComparisonPredicate.Options = []
        while true {
            skipSpace(&index)
            guard index < bytes.count else {
                throw error("Comparison options are not closed", at: index, expected: "]")
            }
            switch bytes[index] | 0x20 {
            case UInt8(ascii: "c"): options.insert(.caseInsensitive)
            case UInt8(ascii: "d"): options.insert(.diacriticInsensitive)
            case UInt8(ascii: "n"): options.insert(.normalized)
            case UInt8(ascii: "l"): options.insert(.localeSensitive)
            default:
                guard bytes[index] == UInt8(ascii: "]") else {
                    throw error(
                        "There is no such comparison option", at: index, expected: "the options c, d, n or l, or ]")
                }
                position = index + 1
                return options
            }
            index += 1
        }
    }

    mutating func next() throws -> PredicateToken {
        skipSpace(&position)
        let start = position
        let kind = try kind()
        return PredicateToken(kind: kind, start: start, end: position)
    }

    private mutating func kind() throws -> PredicateToken.Kind {
        guard position < bytes.count else { return .end }
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return .string(try quoted())
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try number()
        case UInt8(ascii: ".") where position + 1 < bytes.count && Self.isDigit(bytes[position + 1]):
            return try number()
        case UInt8(ascii: "$"):
            position += 1
            let name = word()
            guard !name.isEmpty else { throw error("A variable has no name", at: position, expected: "a name after $") }
            return .variable(name)
        case UInt8(ascii: "%"):
            return .placeholder(try placeholder())
        case UInt8(ascii: "#"):
            position += 1
            if position < bytes.count, bytes[position] == UInt8(ascii: "\"") || bytes[position] == UInt8(ascii: "'") {
                return .identifier(try quoted(), isEscaped: true)
            }
            let prefix = position < bytes.count && bytes[position] == UInt8(ascii: "@") ? "@" : ""
            position += prefix.utf8.count
            let name = prefix + word()
            guard name.utf8.count > prefix.utf8.count else {
                throw error("A key has no name", at: position, expected: "a name after #")
            }
            return .identifier(name, isEscaped: true)
        case UInt8(ascii: "@"):
            position += 1
            let name = word()
            guard !name.isEmpty else {
                throw error("A collection operator has no name", at: position, expected: "a name after @")
            }
            return .identifier("@" + name, isEscaped: false)
        default:
            if Self.isNameStart(byte) { return identifierOrKeyword() }
            return .symbol(try symbol())
        }
    }

    // MARK: Words

    private mutating func word() -> String {
        let start = position
        guard position < bytes.count, Self.isNameStart(bytes[position]) else { return "" }
        while position < bytes.count, Self.isNameStart(bytes[position]) || Self.isDigit(bytes[position]) {
            position += 1
        }
        return slice(start, position)
    }

    private mutating func identifierOrKeyword() -> PredicateToken.Kind {
        let name = word()
        let upper = name.uppercased()
        if upper == "UTI" {
            for keyword in [PredicateToken.Keyword.utiConformsTo, .utiEquals] {
                let end = position - 3 + keyword.rawValue.utf8.count
                if end <= bytes.count, slice(position - 3, end).uppercased() == keyword.rawValue {
                    position = end
                    return .keyword(keyword)
                }
            }
        }
        if let keyword = PredicateToken.Keyword(rawValue: upper) { return .keyword(keyword) }
        return .identifier(name, isEscaped: false)
    }

    private mutating func symbol() throws -> PredicateToken.Symbol {
        let first = bytes[position]
        let second = position + 1 < bytes.count ? bytes[position + 1] : 0
        let symbol: PredicateToken.Symbol
        var length = 2
        switch (first, second) {
        case (UInt8(ascii: "="), UInt8(ascii: "=")): symbol = .equal
        case (UInt8(ascii: "="), UInt8(ascii: "<")): symbol = .lessOrEqual
        case (UInt8(ascii: "="), UInt8(ascii: ">")): symbol = .greaterOrEqual
        case (UInt8(ascii: "!"), UInt8(ascii: "=")): symbol = .notEqual
        case (UInt8(ascii: "<"), UInt8(ascii: ">")): symbol = .notEqual
        case (UInt8(ascii: "<"), UInt8(ascii: "=")): symbol = .lessOrEqual
        case (UInt8(ascii: ">"), UInt8(ascii: "=")): symbol = .greaterOrEqual
        case (UInt8(ascii: "<"), UInt8(ascii: "<")): symbol = .shiftLeft
        case (UInt8(ascii: ">"), UInt8(ascii: ">")): symbol = .shiftRight
        case (UInt8(ascii: "&"), UInt8(ascii: "&")): symbol = .and
        case (UInt8(ascii: "|"), UInt8(ascii: "|")): symbol = .or
        case (UInt8(ascii: "*"), UInt8(ascii: "*")): symbol = .power
        case (UInt8(ascii: ":"), UInt8(ascii: "=")): symbol = .assign
        case (UInt8(ascii: "="), _): (symbol, length) = (.equal, 1)
        default:
            guard let single = PredicateToken.Symbol(rawValue: String(UnicodeScalar(first))) else {
                throw error("A predicate has no such sign", at: position, expected: "an expression or an operator")
            }
            (symbol, length) = (single, 1)
        }
        position += length
        return symbol
    }

    // MARK: Literals

    /// Reads a string literal. `\"`, `\'`, `\\`, `\n`, `\r`, `\t`, `\uXXXX`, `\UXXXXXXXX` and
    /// `\u{X}` are escapes. A backslash before any other character is an ordinary character, so
    /// that the patterns of LIKE and MATCHES need no double backslashes.
    private mutating func quoted() throws -> String {
        let opening = position
        let quote = bytes[position]
        position += 1
        var result: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == quote { return String(decoding: result, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\"), position < bytes.count else {
                result.append(byte)
                continue
            }
            let escaped = bytes[position]
            position += 1
            switch escaped {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): result.append(escaped)
            case UInt8(ascii: "n"): result.append(UInt8(ascii: "\n"))
            case UInt8(ascii: "r"): result.append(UInt8(ascii: "\r"))
            case UInt8(ascii: "t"): result.append(UInt8(ascii: "\t"))
            case UInt8(ascii: "u"), UInt8(ascii: "U"):
                try result.append(contentsOf: codePoint(digits: escaped == UInt8(ascii: "u") ? 4 : 8).utf8)
            default: result += [byte, escaped]
            }
        }
        throw error(
            "A string is not closed", at: opening, expected: "a closing \(quote == UInt8(ascii: "'") ? "'" : "\"")")
    }

    private mutating func codePoint(digits: Int) throws -> String {
        let start = position - 2
        var value = try hexadecimal(digits, from: start)
        // A surrogate pair written as two escapes, as JSON and older tools do.
        if digits == 4, (0xD800..<0xDC00).contains(value), position + 1 < bytes.count,
            bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        {
            position += 2
            let low = try hexadecimal(4, from: start)
            guard (0xDC00..<0xE000).contains(low) else {
                throw error("A string names half a character", at: start, expected: "a Unicode scalar")
            }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = UnicodeScalar(value) else {
            throw error("There is no such character", at: start, expected: "a Unicode scalar")
        }
        return String(scalar)
    }

    private mutating func hexadecimal(_ count: Int, from start: Int) throws -> UInt32 {
        let braced = position < bytes.count && bytes[position] == UInt8(ascii: "{")
        let first = position + (braced ? 1 : 0)
        var end = braced ? first : min(first + count, bytes.count)
        if braced { while end < bytes.count, bytes[end] != UInt8(ascii: "}"), end - first < 8 { end += 1 } }
        guard braced ? end < bytes.count && bytes[end] == UInt8(ascii: "}") : end - first == count, first < end,
            bytes[first] != UInt8(ascii: "+"),
            let value = UInt32(slice(first, end), radix: 16)
        else {
            throw error(
                "A Unicode escape is incomplete", at: start,
                expected: braced ? "hexadecimal digits and }" : "\(count) hexadecimal digits")
        }
        position = end + (braced ? 1 : 0)
        return value
    }

    private mutating func number() throws -> PredicateToken.Kind {
        let start = position
        if bytes[position] == UInt8(ascii: "0"), position + 1 < bytes.count, let radix = Self.radix(bytes[position + 1])
        {
            position += 2
            let digits = position
            while position < bytes.count, Self.isNameStart(bytes[position]) || Self.isDigit(bytes[position]) {
                position += 1
            }
            guard digits < position, let value = UInt64(slice(digits, position), radix: radix) else {
                throw error(
                    "A number can't be read", at: start, expected: "digits of base \(radix) that fit in 64 bits")
            }
            return .integer(value)
        }
        skipDigits()
        var isWhole = true
        if position + 1 < bytes.count, bytes[position] == UInt8(ascii: "."), Self.isDigit(bytes[position + 1]) {
            isWhole = false
            position += 1
            skipDigits()
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            var exponent = position + 1
            if exponent < bytes.count, bytes[exponent] == UInt8(ascii: "+") || bytes[exponent] == UInt8(ascii: "-") {
                exponent += 1
            }
            if exponent < bytes.count, Self.isDigit(bytes[exponent]) {
                isWhole = false
                position = exponent
                skipDigits()
            }
        }
        if position < bytes.count, Self.isNameStart(bytes[position]) {
            throw error("A number runs into a word", at: position, expected: "an operator or a space after the number")
        }
        let digits = slice(start, position)
        if isWhole, let value = UInt64(digits) { return .integer(value) }
        guard let value = Double(digits) else { throw error("A number can't be read", at: start, expected: "a number") }
        return .number(value)
    }

    private mutating func placeholder() throws -> PredicateToken.Placeholder {
        let start = position
        position += 1
        while position < bytes.count, "hlqLzjt".utf8.contains(bytes[position]) { position += 1 }
        guard position < bytes.count else {
            throw error("A placeholder is incomplete", at: start, expected: "%@, %K, %d, %f, %c or %s")
        }
        let letter = bytes[position]
        position += 1
        switch letter {
        case UInt8(ascii: "@"): return .value
        case UInt8(ascii: "K"): return .keyPath
        case _ where "dDiuUxXoO".utf8.contains(letter): return .integer
        case _ where "fFeEgGaA".utf8.contains(letter): return .number
        case UInt8(ascii: "c"), UInt8(ascii: "C"): return .character
        case UInt8(ascii: "s"), UInt8(ascii: "S"): return .text
        default: throw error("There is no such placeholder", at: start, expected: "%@, %K, %d, %f, %c or %s")
        }
    }

    // MARK: Bytes

    private mutating func skipDigits() {
        while position < bytes.count, Self.isDigit(bytes[position]) { position += 1 }
    }

    private func skipSpace(_ index: inout Int) {
        while index < bytes.count, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) { index += 1 }
    }

    private static func radix(_ byte: UInt8) -> Int? {
        switch byte | 0x20 {
        case UInt8(ascii: "x"): 16
        case UInt8(ascii: "o"): 8
        case UInt8(ascii: "b"): 2
        default: nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// A name may contain all characters outside ASCII.
    private static func isNameStart(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Whether `name` can be written in a path without escaping; keywords are not considered.
    static func isPlainName(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, isNameStart(first) else { return false }
        return bytes.allSatisfy { isNameStart($0) || isDigit($0) }
    }
}
