/// A JSON value. Numbers keep their text, so that no digits are lost between a file and an
/// attribute.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package static func int(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    package static func strings(_ values: some Sequence<String>) -> JSONValue { .array(values.map { .string($0) }) }

    /// The kind of the value, for messages.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    package subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    package var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The number; nil if it is not an integer or out of range for the type.
    package func int<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        if case .number(let text) = self { Number(text) } else { nil }
    }

    /// The elements as strings; nil if one of them is not a string.
    package var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }
}
