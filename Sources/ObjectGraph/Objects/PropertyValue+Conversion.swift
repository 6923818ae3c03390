import Foundation
package import Schema

extension PropertyValue {
    /// The value converted to the type of an attribute; nil if the attribute can't have it.
    /// Integers are converted if the attribute can represent them; fractions are rounded to the
    /// nearest value that it has, unless they are out of its range.
    package func converted(to attribute: AttributeDescription) -> PropertyValue? {
        if isNull { return self }
        switch (attribute.type, self) {
        case (.integer16, _), (.integer32, _), (.integer64, _): return wholeNumber.map { .int($0) }
        case (.boolean, .bool): return self
        case (.boolean, .int(let value)) where value == 0 || value == 1: return .bool(value == 1)
        case (.double, .double): return self
        case (.double, .int(let value)): return Double(exactly: value).map { .double($0) }
        case (.double, .float(let value)): return .double(Double(value))
        case (.double, .decimal(let value)): return .double((value as NSDecimalNumber).doubleValue)
        case (.float, .float): return self
        case (.float, .int(let value)): return Float(exactly: value).map { .float($0) }
        case (.float, .double(let value)): return Self.float(value)
        case (.float, .decimal(let value)): return Self.float((value as NSDecimalNumber).doubleValue)
        case (.decimal, .decimal): return self
        case (.decimal, .int(let value)): return .decimal(Decimal(value))
        // Converted through the text, because 10.11 means the decimal number, not the nearest
        // binary fraction.
        case (.decimal, .double(let value)) where value.isFinite:
            return Decimal(string: "\(value)").map { .decimal($0) }
        case (.decimal, .float(let value)) where value.isFinite: return Decimal(string: "\(value)").map { .decimal($0) }
        case (.date, .date), (.string, .string), (.uuid, .uuid), (.uri, .uri): return self
        case (.uri, .string(let text)): return URL(string: text).map { .uri($0) }
        case (.binary, .data(let bytes)), (.transformable, .data(let bytes)):
            return attribute.allowsExternalBinaryDataStorage ? .large(LargeValue(bytes)) : self
        case (.binary, .large), (.transformable, .large): return attribute.allowsExternalBinaryDataStorage ? self : nil
        case (.composite, .composite), (.undefined, _), (.objectID, .object): return self
        default: return nil
        }
    }

    private static func float(_ value: Double) -> PropertyValue? {
        let rounded = Float(value)
        return value.isFinite && rounded.isInfinite ? nil : .float(rounded)
    }

    private var wholeNumber: Int64? {
        switch self {
        case .int(let value): value
        case .bool(let value): value ? 1 : 0
        case .double(let value): Int64(exactly: value)
        case .float(let value): Int64(exactly: value)
        case .decimal(let value): Self.wholeNumber(value)
        default: nil
        }
    }

    /// Converted through the digits, because a floating-point number is not precise enough.
    private static func wholeNumber(_ value: Decimal) -> Int64? {
        var value = value, rounded = Decimal()
        guard !value.isNaN else { return nil }
        NSDecimalRound(&rounded, &value, 0, .plain)
        return rounded == value ? Int64(rounded.description) : nil
    }

    /// Creates the property value of a Swift value; nil for types that no attribute has. A
    /// dictionary by names becomes a composite, with nil for missing values.
    package init?(_ value: Any?) {
        switch value {
        case nil: self = .null
        case let value as PropertyValue: self = value
        case let value as String: self = .string(value)
        case let value as Bool: self = .bool(value)
        case let value as any BinaryInteger:
            guard let number = Int64(exactly: value) else { return nil }
            self = .int(number)
        case let value as Double: self = .double(value)
        case let value as Float: self = .float(value)
        case let value as Decimal: self = .decimal(value)
        case let value as Date: self = .date(value)
        case let value as UUID: self = .uuid(value)
        case let value as URL: self = .uri(value)
        case let value as Data: self = .data(value)
        case let value as LargeValue: self = .large(value)
        case let value as ManagedObjectID: self = .object(value)
        case let value as [String: PropertyValue]: self = .composite(value)
        case let value as [PropertyValue]: self = .list(value)
        case let value as [String: Any?]:
            var parts: [String: PropertyValue] = [:]
            for (name, part) in value {
                guard let part = PropertyValue(part) else { return nil }
                parts[name] = part
            }
            self = .composite(parts)
        default:
            // A value of type `Any` may be an Optional that is nil.
            guard let value, let optional = value as? any AnyOptional, optional.isNil else { return nil }
            self = .null
        }
    }

    /// The type of a Swift value, for messages.
    static func swiftTypeName(_ value: Any?) -> String { value.map { "\(type(of: $0))" } ?? "nil" }

    /// The value with its Swift type: integers as `Int`, null as nil.
    package var plain: Any? {
        switch self {
        case .null: nil
        case .int(let value): Int(value)
        case .bool(let value): value
        case .double(let value): value
        case .float(let value): value
        case .decimal(let value): value
        case .date(let value): value
        case .string(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .uri(let value): value
        case .large(let value): value
        case .composite(let value): value
        case .object(let value): value
        case .list(let value): value
        }
    }

    /// What an attribute can't have, for messages: a number itself where others of its type fit.
    func unfitting(for attribute: AttributeDescription) -> String {
        guard attribute.type.isNumeric else { return typeName }
        return switch self {
        case .int(let value): "\(value), which it can't represent"
        case .double(let value): "\(value), which it can't represent"
        case .float(let value): "\(value), which it can't represent"
        case .decimal(let value): "\(value), which it can't represent"
        default: typeName
        }
    }

    /// The name of the value's type in messages.
    var typeName: String {
        switch self {
        case .null: "nil"
        case .int: "an integer"
        case .bool: "a boolean"
        case .double, .float: "a floating-point number"
        case .decimal: "a decimal"
        case .date: "a date"
        case .string: "a string"
        case .data, .large: "binary data"
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .composite: "a composite"
        case .object: "an object"
        case .list: "a list"
        }
    }
}

/// An Optional of any type.
private protocol AnyOptional {
    var isNil: Bool { get }
}

extension Optional: AnyOptional {
    fileprivate var isNil: Bool { self == nil }
}

extension AttributeDescription {
    /// A bound as the model has it: for a number, of the type of the attribute. A value that is no
    /// bound for the type is returned as it is; the validation of the model reports it.
    func bound(_ value: PropertyValue) -> PropertyValue {
        type.isNumeric ? value.converted(to: self) ?? value : value
    }
}
