internal import Coding
internal import Foundation
internal import Schema

/// Converts values of attributes from and to the text in `.xcdatamodel` files.
enum ValueText {
    /// The value of a type for a text; nil if the text is not valid for the type.
    static func value(_ text: String, _ type: AttributeType) -> PropertyValue? {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        switch type {
        case .integer16, .integer32, .integer64: return integer(trimmed).map { .int($0) }
        case .double: return Double(trimmed).map { .double($0) }
        case .float: return Float(trimmed).map { .float($0) }
        case .decimal: return decimal(trimmed).map { .decimal($0) }
        case .boolean:
            switch trimmed.uppercased() {
            case "YES", "TRUE", "1": return .bool(true)
            case "NO", "FALSE", "0": return .bool(false)
            default: return nil
            }
        case .string: return .string(text)
        case .date: return date(trimmed).map { .date($0) }
        case .uuid: return UUID(uuidString: trimmed).map { .uuid($0) }
        case .uri: return URL(string: trimmed).map { .uri($0) }
        case .binary, .transformable: return Data(base64Encoded: trimmed).map { .data($0) }
        case .undefined, .objectID, .composite: return nil
        }
    }

    /// The text of a value; nil if the value has no textual form.
    static func text(_ value: PropertyValue) -> String? {
        switch value {
        case .int(let number): "\(number)"
        case .bool(let flag): flag ? "YES" : "NO"
        case .double(let number): "\(number)"
        case .float(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .date(let date): text(date)
        case .string(let text): text
        case .uuid(let uuid): uuid.uuidString
        case .uri(let url): url.absoluteString
        case .data(let data): data.base64EncodedString()
        case .large(let value): (try? value.data())?.base64EncodedString()
        case .null, .composite, .object, .list: nil
        }
    }

    /// The seconds since the reference date, in the shortest form that is read back exactly.
    static func interval(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        return Int64(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    }

    private static func integer(_ text: String) -> Int64? {
        // YES or NO can remain as the default of an attribute whose type was Boolean before.
        switch text {
        case "YES": 1
        case "NO": 0
        default: Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
        }
    }

    private static func decimal(_ text: String) -> Decimal? {
        // `Decimal(string:)` ignores everything after the first invalid character.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    private static func text(_ date: Date) -> String {
        InternetDate.text(date).replacing("T", with: " ").replacing("Z", with: " +0000")
    }

    /// A date such as `2013-04-23 12:00:00 +0000`. Seconds and time zone can be missing; the
    /// default zone is UTC.
    private static func date(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard let day = parts.first, (1...3).contains(parts.count) else { return nil }
        var time = parts.count > 1 ? String(parts[1]) : "00:00:00"
        if time.count(where: { $0 == ":" }) == 1 { time += ":00" }
        let zone = parts.count > 2 && parts[2] != "+0000" ? parts[2] : "Z"
        return InternetDate.date("\(day)T\(time)\(zone)")
    }
}
