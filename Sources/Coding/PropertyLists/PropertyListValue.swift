package import Foundation

/// A property list as a value, with the types that binary and XML property lists support.
package enum PropertyListValue: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    /// An integer above `Int64.max`; smaller ones are always `integer`.
    case unsigned(UInt64)
    case real(Double)
    case boolean(Bool)
    case date(Date)
    case data(Data)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
    /// A reference to the table of objects of a keyed archive; only in binary property lists.
    case uid(UInt64)
}

extension PropertyListValue {
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// Any number as a floating-point number.
    package var real: Double? {
        switch self {
        case .real(let value): value
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        default: nil
        }
    }

    /// A boolean, or an integer as a boolean: archives use both.
    package var boolean: Bool? {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value != 0
        default: nil
        }
    }

    package var date: Date? {
        if case .date(let value) = self { value } else { nil }
    }

    package var data: Data? {
        if case .data(let value) = self { value } else { nil }
    }

    package var array: [PropertyListValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    package var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    package var uid: UInt64? {
        if case .uid(let value) = self { value } else { nil }
    }

    /// The value for `key`; nil if this is not a dictionary or has no such key.
    package subscript(key key: String) -> PropertyListValue? {
        dictionary?[key]
    }

    /// The name of the kind of value in messages.
    package var kindName: String {
        switch self {
        case .string: "a string"
        case .integer, .unsigned: "an integer"
        case .real: "a real number"
        case .boolean: "a boolean"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .uid: "a reference"
        }
    }
}

extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
}
