/// A JSON value. Numbers keep their text, so that no digit is lost between a file and an attribute.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package static func int(_ value: some BinaryInteger) -> JSONValue { .number(String(value)) }

    package static func strings(_ values: some Sequence<String>) -> JSONValue { .array(values.map { .string($0) }) }

    /// What kind of value it is, for messages.
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

    /// The number, nil for what is no whole number or too great for its type.
    package func int<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        if case .number(let text) = self { Number(text) } else { nil }
    }

    /// The elements as strings; nil where one is none.
    package var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }
}
