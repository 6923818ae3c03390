internal import Coding
internal import Foundation
internal import Schema

/// Converts values of attributes from and to the text in `.xcdatamodel` files.
enum ValueText {
    /// The value of a type for a text; nil if the text is not valid for the type.
    static func value(_ text: String, _ type: AttributeType) -> PropertyValue? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch type {
        case .integer16, .integer32, .integer64: return integer(trimmed).map { .int($0) }
        case .double: return number(trimmed).map { .double($0) }
        case .float: return number(trimmed).map { .float(Float($0)) }
        case .decimal: return decimal(trimmed).map { .decimal($0) }
        case .boolean:
            return (words[trimmed.uppercased()] ?? number(trimmed).map { $0 != 0 }).map { .bool($0) }
        case .string: return .string(text)
        case .date: return date(trimmed).map { .date($0) }
        case .uuid: return UUID(uuidString: trimmed).map { .uuid($0) }
        case .uri: return URL(string: trimmed).map { .uri($0) }
        case .binary, .transformable:
            return Data(base64Encoded: trimmed.filter { !$0.isWhitespace }).map { .data($0) }
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

    /// The words for Booleans. One can remain as the default of a number whose type was Boolean
    /// before.
    private static let words = [
        "YES": true, "TRUE": true, "Y": true, "T": true, "NO": false, "FALSE": false, "N": false, "F": false,
    ]

    /// A number: decimal or hexadecimal, with or without an exponent.
    private static func number(_ text: String) -> Double? {
        if let flag = words[text.uppercased()] { return flag ? 1 : 0 }
        guard let number = Double(text), !number.isNaN else { return nil }
        return number
    }

    private static func integer(_ text: String) -> Int64? {
        Int64(text) ?? number(text).flatMap { Int64(exactly: $0) }
    }

    private static func decimal(_ text: String) -> Decimal? {
        guard let number = number(text), number.isFinite else { return nil }
        // `Decimal(string:)` reads no hexadecimal digits, and no further than the first invalid
        // character.
        let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        return Decimal(string: isDecimal ? text : "\(number)", locale: Locale(identifier: "en_US_POSIX"))
    }

    private static func text(_ date: Date) -> String {
        InternetDate.text(date).replacing("T", with: " ").replacing("Z", with: " +0000")
    }

    /// A date such as `2013-04-23 12:00:00 +0000`, or the seconds since the reference date. Seconds
    /// and time zone can be missing; the default zone is UTC.
    private static func date(_ text: String) -> Date? {
        if let seconds = Double(text) { return seconds.isFinite ? Date(timeIntervalSinceReferenceDate: seconds) : nil }
        let parts = text.split(separator: " ")
        guard let day = parts.first, (1...3).contains(parts.count) else { return nil }
        var time = parts.count > 1 ? String(parts[1]) : "00:00:00"
        if time.count(where: { $0 == ":" }) == 1 { time += ":00" }
        let zone = parts.count > 2 && parts[2] != "+0000" ? parts[2] : "Z"
        return InternetDate.date("\(day)T\(time)\(zone)")
    }
}
