import Foundation
import Schema

/// Converts a constant of a predicate to the type of the value that it is compared with, so that
/// SQL and the evaluation in memory compare the same value.
enum ConstantCoercion {
    /// The constant as a value of `type`; nil if it can't be converted.
    ///
    /// - A number becomes a number of the attribute's type if the comparison can't see a loss. A
    ///   Double with a fraction stays a Double against an integer attribute. Text is converted to a
    ///   number only against a Decimal, a boolean (`true`, `yes`, `1` and their opposites) or a
    ///   date.
    /// - Dates are read from ISO 8601 text or from seconds since 2001, UUIDs and URIs from their
    ///   text, binary values from base64.
    /// - References are read from URIs or, if the store is known, from the short form `Entity/p7`.
    static func convert(_ value: PropertyValue, to type: StaticType, store: StoreIdentity?) -> PropertyValue? {
        if value.isNull { return value }
        switch type {
        case .unknown: return value
        case .number(let attribute): return number(value, as: attribute)
        case .date: return value.isBool ? nil : CastType.date.convert(value)
        case .string:
            switch value {
            case .uri, .uuid: return CastType.string.convert(value)
            default: return value.isString ? value : nil
            }
        case .uri: return CastType.uri.convert(value)
        case .uuid: return CastType.uuid.convert(value)
        case .binary:
            if case .large = value { return value }
            return CastType.data.convert(value)
        case .object, .reference:
            if case .object = value { return value }
            guard let store, let text = ScalarRules.text(value) else { return nil }
            return ManagedObjectID(text: text, store: store).map(PropertyValue.object)
        case .opaque, .composite, .collection: return nil
        }
    }

    private static func number(_ value: PropertyValue, as type: AttributeType?) -> PropertyValue? {
        if case .string(let text) = value {
            switch type {
            case .decimal: return ScalarRules.decimal(from: text).map(PropertyValue.decimal)
            case .boolean: return boolean(text).map(PropertyValue.bool)
            default: return nil
            }
        }
        guard let number = ScalarRules.number(value) else { return nil }
        switch (type, number) {
        case (.integer16, .double(let double)), (.integer32, .double(let double)), (.integer64, .double(let double)):
            return Int64(exactly: double).map(PropertyValue.int) ?? .double(double)
        case (.integer16, .int(let int)), (.integer32, .int(let int)), (.integer64, .int(let int)): return .int(int)
        case (.boolean, .int(let int)): return int == 0 || int == 1 ? .bool(int == 1) : .int(int)
        case (.boolean, .double(let double)): return double == 0 || double == 1 ? .bool(double == 1) : .double(double)
        case (.decimal, _): return CastType.decimal.convert(value)
        case (.double, .int(let int)): return Int64(exactly: Double(int)) == int ? .double(Double(int)) : .int(int)
        case (.double, .double(let double)): return .double(double)
        case (.float, .int(let int)): return Int64(exactly: Float(int)) == int ? .float(Float(int)) : .int(int)
        case (.float, .double(let double)): return .float(Float(double))
        default: return value
        }
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }
}

extension PropertyValue {
    fileprivate var isBool: Bool {
        if case .bool = self { true } else { false }
    }

    fileprivate var isString: Bool {
        if case .string = self { true } else { false }
    }
}
