import Foundation
import Schema

/// How values of attributes stand in an XML store.
enum XMLValueText {
    /// The word for an attribute's type.
    static func typeName(_ type: AttributeType) -> String {
        switch type {
        case .integer16: "int16"
        case .integer32: "int32"
        case .integer64: "int64"
        case .decimal: "decimal"
        case .double: "double"
        case .float: "float"
        case .string: "string"
        case .boolean: "bool"
        case .date: "date"
        case .binary: "binary"
        case .transformable: "transformable"
        case .uuid: "uuid"
        case .uri: "uri"
        case .undefined, .objectID, .composite: "undefined"
        }
    }

    /// The text of a value, nil for none.
    static func text(_ value: PropertyValue) throws -> String? {
        switch value {
        case .int(let number): return String(number)
        case .bool(let flag): return flag ? "1" : "0"
        case .double(let number): return number.description
        case .float(let number): return number.description
        case .decimal(let number): return number.description
        case .date(let date): return text(ofDate: date.timeIntervalSinceReferenceDate)
        case .string(let text): return text
        case .uri(let url): return url.absoluteString
        case .uuid(let uuid): return uuid.uuidString
        case .data(let data): return data.base64EncodedString()
        case .large(let value): return try value.data().base64EncodedString()
        case .null, .composite, .object, .list: return nil
        }
    }

    /// Seconds since 2001 with 20 decimals; with more digits where they would not read back.
    private static func text(ofDate seconds: Double) -> String {
        var bytes: [UInt8] = []
        append(date: seconds, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let decimals = 20

    /// Puts seconds as `text(_:)` has those of a date.
    static func append(date seconds: Double, to output: inout [UInt8]) {
        let magnitude = seconds.magnitude
        // What has at most 40 binary places is counted in them, which a number of 128 bits has room for with all its decimals. Dates are such but for the first hour of 2001, where 20
        // decimals may be too few besides.
        let places = 40
        let whole = magnitude.rounded(.towardZero), rest = (magnitude - whole) * 0x1p40
        guard magnitude < 0x1p53, magnitude >= 1 || magnitude == 0, rest.rounded(.towardZero) == rest else {
            let text = seconds.isFinite ? String(format: "%.\(decimals)f", seconds) : seconds.description
            return output.append(contentsOf: (Double(text) == seconds ? text : seconds.description).utf8)
        }
        var fraction: UInt128 = 0, number = UInt64(whole)
        if rest != 0 {
            let scaled = UInt128(rest) * 100_000_000_000_000_000_000
            fraction = scaled >> places
            let left = scaled & ((1 << places) - 1), half: UInt128 = 1 << (places - 1)
            // As the C library does, halves to the even neighbour.
            if left > half || left == half && fraction & 1 == 1 { fraction += 1 }
            if fraction == 100_000_000_000_000_000_000 { (number, fraction) = (number + 1, 0) }
        }
        if seconds.sign == .minus { output.append(UInt8(ascii: "-")) }
        append(Int64(number), to: &output)
        if fraction == 0 {
            let text: StaticString = ".00000000000000000000"
            return text.withUTF8Buffer { output.append(contentsOf: $0) }
        }
        output.append(UInt8(ascii: "."))
        let (high, low) = fraction.quotientAndRemainder(dividingBy: 10_000_000_000)
        let start = output.count
        output.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: decimals))
        for (part, end) in [(UInt64(high), start + decimals / 2), (UInt64(low), start + decimals)] {
            var left = part, place = end
            while left > 0 {
                place -= 1
                output[place] += UInt8(left % 10)
                left /= 10
            }
        }
    }

    /// Puts a number's digits.
    static func append(_ number: Int64, to output: inout [UInt8]) {
        // Nineteen digits at most, and a sign.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
            var place = text.count, left = number.magnitude
            repeat {
                place -= 1
                text[place] = UInt8(ascii: "0") + UInt8(left % 10)
                left /= 10
            } while left > 0
            if number < 0 {
                place -= 1
                text[place] = UInt8(ascii: "-")
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: text[place...]))
        }
    }

    /// The value that a text stands for, nil if it is none of the type.
    static func value(_ text: String, _ attribute: AttributeDescription) -> PropertyValue? {
        func word() -> String {
            // Numbers mostly stand alone; trimming takes longer than reading them.
            let isPlain = [text.utf8.first, text.utf8.last].allSatisfy { $0.map { $0 > UInt8(ascii: " ") && $0 < 0x7F } ?? false }
            return isPlain ? text : text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        switch attribute.type {
        case .string: return .string(text)
        case .integer16, .integer32, .integer64: return Int64(word()).map { .int($0) }
        case .boolean:
            switch word().lowercased() {
            case "1", "true", "yes": return .bool(true)
            case "0", "false", "no": return .bool(false)
            default: return Int64(word()).map { .bool($0 != 0) }
            }
        case .double: return Double(word()).map { .double($0) }
        case .float: return Float(word()).map { .float($0) }
        case .date: return Double(word()).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .decimal:
            let word = word()
            // The reader of decimals takes what it can and leaves the rest: only numbers are given to it.
            guard Double(word) != nil, let number = Decimal(string: word), !number.isNaN else { return nil }
            return .decimal(number)
        case .uuid: return UUID(uuidString: word()).map { .uuid($0) }
        case .uri:
            let text = word()
            return URL(string: text).map { .uri($0) } ?? .string(text)
        case .binary, .transformable: return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { .data($0) }
        case .undefined, .objectID, .composite: return nil
        }
    }
}
