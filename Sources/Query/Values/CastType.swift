internal import Coding
import Foundation
package import Schema

/// The types that CAST supports, by the names of Apple's classes or of Swift's types.
package enum CastType: String, Sendable, CaseIterable {
    case date = "Date", number = "Number", decimal = "DecimalNumber", string = "String", uuid = "UUID", uri = "URL",
        data = "Data"
    /// A reference, from the text of a URI. Validation resolves it if the store is known.
    case object = "ManagedObjectID"

    package init?(name: String) {
        let plain = name.hasPrefix("NS") ? String(name.dropFirst(2)) : name
        switch plain {
        case "Decimal": self = .decimal
        case "Int", "Double": self = .number
        default: self.init(rawValue: plain)
        }
    }

    /// The name that the printer writes.
    var name: String { "NS" + rawValue }

    /// The constant for a cast of a literal; nil if the cast must be kept.
    func literal(_ value: PropertyValue) -> PropertyValue? {
        switch (self, value) {
        case (.date, .int), (.date, .double), (.number, .string), (.decimal, .string), (.uuid, .string),
            (.uri, .string), (.data, .string):
            let constant = convert(value)
            return constant?.isNull == true ? nil : constant
        default:
            return nil
        }
    }

    /// The value converted to this type; nil if that is not possible. Null stays null.
    package func convert(_ value: PropertyValue) -> PropertyValue? {
        if value.isNull { return .null }
        switch self {
        case .date:
            if case .date = value { return value }
            if case .string(let text) = value { return DateText.date(from: text).map(PropertyValue.date) }
            return ScalarRules.double(value).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .number:
            switch value {
            case .int, .double: return value
            case .bool(let flag): return .int(flag ? 1 : 0)
            case .date(let date): return .double(date.timeIntervalSinceReferenceDate)
            case .string(let text): return Int64(text).map(PropertyValue.int) ?? Double(text).map(PropertyValue.double)
            default: return ScalarRules.double(value).map(PropertyValue.double)
            }
        case .decimal:
            switch value {
            case .decimal: return value
            case .int(let number): return .decimal(Decimal(number))
            case .string(let text): return ScalarRules.decimal(from: text).map(PropertyValue.decimal)
            default:
                return ScalarRules.double(value).flatMap { ScalarRules.decimal(from: $0.description) }.map(
                    PropertyValue.decimal)
            }
        case .string:
            switch value {
            case .string: return value
            case .int(let number): return .string(number.description)
            case .bool(let flag): return .string(flag ? "1" : "0")
            case .decimal(let number): return .string(number.description)
            case .uuid(let uuid): return .string(uuid.uuidString)
            case .uri(let url): return .string(url.absoluteString)
            default: return ScalarRules.double(value).map { .string($0.description) }
            }
        case .uuid:
            if case .uuid = value { return value }
            if case .string(let text) = value { return UUID(uuidString: text).map(PropertyValue.uuid) }
            return nil
        case .uri:
            if case .uri = value { return value }
            if case .string(let text) = value { return URL(string: text).map(PropertyValue.uri) }
            return nil
        case .data:
            if case .data = value { return value }
            if case .string(let text) = value { return Data(base64Encoded: text).map(PropertyValue.data) }
            return nil
        case .object:
            if case .object = value { return value }
            return nil
        }
    }
}
