import SQLiteKit

/// Lists of values for IN, of any length, with few different statement texts.
enum SQLValueList {
    /// The greatest number of values that are passed as separate arguments.
    private static let inlineLimit = 16

    /// `(?, ?)`, or a subquery over one argument with all values. The list must not be empty.
    static func fragment(_ values: [SQLiteValue]) -> SQLFragment {
        guard values.count > inlineLimit else {
            // The number of arguments is a power of two, so that lists of similar length share a
            // prepared statement.
            var padded = values
            var size = 1
            while size < values.count { size *= 2 }
            if let last = values.last { padded += Array(repeating: last, count: size - values.count) }
            let marks = Array(repeating: "?", count: size).joined(separator: ", ")
            return SQLFragment("(" + marks + ")", padded)
        }
        var items: [String] = []
        items.reserveCapacity(values.count)
        var isPlain = true
        for value in values { items.append(item(value, &isPlain)) }
        if !isPlain, values.contains(where: { $0.text != nil }) { items = values.map(packed) }
        let json = SQLFragment.value(.text("[" + items.joined(separator: ",") + "]"))
        return isPlain
            ? .sql("(SELECT value FROM json_each(\(json)))")
            : .sql("(SELECT FolioUnpack(value) FROM json_each(\(json)))")
    }

    static func fragment(keys: [Int64]) -> SQLFragment { fragment(keys.map(SQLiteValue.integer)) }

    private static func item(_ value: SQLiteValue, _ isPlain: inout Bool) -> String {
        switch value {
        case .integer(let number): return String(number)
        case .text(let text) where !text.utf8.contains(0): return quoted(text)
        case .null, .real, .blob, .text:
            isPlain = false
            return packed(value)
        }
    }

    /// Encodes a value that JSON can't represent exactly as a string for `unpack`: a letter for its
    /// kind, then its bits or bytes in hexadecimal.
    private static func packed(_ value: SQLiteValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let number): String(number)
        case .real(let number): "\"r" + String(number.bitPattern, radix: 16) + "\""
        case .text(let text): "\"t" + hex(text.utf8) + "\""
        case .blob(let bytes): "\"b" + hex(bytes) + "\""
        }
    }

    /// Decodes a string of `packed`.
    static func unpack(_ text: String) -> SQLiteValue {
        let digits = Array(text.utf8.dropFirst())
        switch text.utf8.first {
        case UInt8(ascii: "r"):
            return UInt64(String(decoding: digits, as: UTF8.self), radix: 16).map { .real(Double(bitPattern: $0)) }
                ?? .null
        case UInt8(ascii: "t"): return .text(String(decoding: bytes(digits), as: UTF8.self))
        case UInt8(ascii: "b"): return .blob(bytes(digits))
        default: return .null
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" {
                result += "\\"
                result.unicodeScalars.append(scalar)
            } else if scalar.value < 0x20 {
                result += "\\u00" + hex([UInt8(scalar.value)])
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func bytes(_ digits: [UInt8]) -> [UInt8] {
        func nibble(_ digit: UInt8) -> UInt8 { digit <= 0x39 ? digit - 0x30 : digit - 0x57 }
        return stride(from: 0, to: digits.count - 1, by: 2).map { nibble(digits[$0]) << 4 | nibble(digits[$0 + 1]) }
    }
}
