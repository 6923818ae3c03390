/// A token of a SQL definition, in as much detail as `SchemaRules` needs.
enum SQLToken: Hashable {
    case word(String)
    /// A name in double quotes, brackets or backticks.
    case quotedName
    /// A string, a blob or a number.
    case literal
    case open, close, comma
    case other(Character)

    var isName: Bool {
        switch self {
        case .word, .quotedName: true
        default: false
        }
    }

    func isWord(_ text: String) -> Bool {
        if case .word(let word) = self { word.uppercased() == text } else { false }
    }

    /// The tokens of a statement; nil if a quotation is not terminated or the statement has a
    /// comment.
    static func tokens(of statement: String) -> [SQLToken]? {
        let bytes = Array(statement.utf8)
        var tokens: [SQLToken] = []
        var index = 0
        func isWordByte(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
                || byte == 0x24 || byte >= 0x80
        }
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0C, 0x0D: index += 1
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","):
                tokens.append(byte == UInt8(ascii: "(") ? .open : byte == UInt8(ascii: ")") ? .close : .comma)
                index += 1
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
                guard let end = endOfQuotation(bytes, index) else { return nil }
                tokens.append(byte == UInt8(ascii: "'") ? .literal : .quotedName)
                index = end
            case let byte where isWordByte(byte):
                let start = index
                while index < bytes.count, isWordByte(bytes[index]) { index += 1 }
                tokens.append(
                    (0x30...0x39).contains(byte)
                        ? .literal : .word(String(decoding: bytes[start..<index], as: UTF8.self)))
            default:
                if index + 1 < bytes.count,
                    (byte, bytes[index + 1]) == (0x2D, 0x2D) || (byte, bytes[index + 1]) == (0x2F, 0x2A)
                {
                    return nil
                }
                tokens.append(.other(Character(Unicode.Scalar(byte))))
                index += 1
            }
        }
        return tokens
    }

    /// The index after the quotation that begins at `start`.
    private static func endOfQuotation(_ bytes: [UInt8], _ start: Int) -> Int? {
        let end = bytes[start] == UInt8(ascii: "[") ? UInt8(ascii: "]") : bytes[start]
        var index = start + 1
        while index < bytes.count {
            if bytes[index] == end {
                // A doubled quote is part of the quotation.
                guard end != UInt8(ascii: "]"), index + 1 < bytes.count, bytes[index + 1] == end else {
                    return index + 1
                }
                index += 1
            }
            index += 1
        }
        return nil
    }
}
