import Foundation
import Schema

/// The text of attribute values in an XML store.
enum XMLValueText {
    /// The name of an attribute's type.
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

    /// The text of a value; nil if there is none.
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

    /// Seconds since 2001 with 20 decimals, as Core Data writes them; `description` if that would
    /// not be read back as the same value.
    private static func text(ofDate seconds: Double) -> String {
        let text = seconds.isFinite ? String(format: "%.20f", seconds) : seconds.description
        return Double(text) == seconds ? text : seconds.description
    }

    /// The value for a text; nil if it is not valid for the type.
    static func value(_ text: String, _ attribute: AttributeDescription) -> PropertyValue? {
        func word() -> String {
            // Numbers usually have no surrounding space. Trimming takes longer than parsing them.
            let isPlain = [text.utf8.first, text.utf8.last].allSatisfy {
                $0.map { $0 > UInt8(ascii: " ") && $0 < 0x7F } ?? false
            }
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
            // `Decimal(string:)` ignores invalid trailing text, so only valid numbers are passed to
            // it.
            guard Double(word) != nil, let number = Decimal(string: word), !number.isNaN else { return nil }
            return .decimal(number)
        case .uuid: return UUID(uuidString: word()).map { .uuid($0) }
        case .uri:
            let text = word()
            return URL(string: text).map { .uri($0) } ?? .string(text)
        case .binary, .transformable:
            return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { .data($0) }
        case .undefined, .objectID, .composite: return nil
        }
    }
}
