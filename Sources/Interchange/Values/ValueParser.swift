package import Coding
package import Folio
package import Foundation

/// Converts text on the command line, or JSON values, to values of an attribute.
package enum ValueParser {
    /// Parses `text` as a value of `attribute`. Empty text is nil for all types except String.
    /// - Throws: A usage error with the key, the type and the text.
    package static func value(_ text: String, for attribute: AttributeDescription) throws -> PropertyValue {
        if attribute.type == .string { return .string(text) }
        if text.isEmpty { return .null }
        let value: PropertyValue?
        switch attribute.type {
        case .integer16, .integer32, .integer64: value = integer(text, attribute.type)
        case .boolean: value = boolean(text).map { .bool($0) }
        case .double: value = real(text).map { .double($0) }
        case .float: value = float(text).map { .float($0) }
        case .decimal: value = decimal(text).map { .decimal($0) }
        case .date: value = try DateText.date(from: text).map { .date($0) } ?? dateOfSeconds(text, attribute)
        case .uuid: value = uuid(text).map { .uuid($0) }
        // Text that is not a valid URI is rejected. Escaping it would store a different text.
        case .uri: value = URL(string: text, encodingInvalidCharacters: false).map { .uri($0) }
        case .binary, .transformable: value = Data(base64Encoded: text).map { data($0, attribute) }
        case .string: value = .string(text)
        case .composite, .undefined, .objectID: value = nil
        }
        guard let value else { throw mismatch(attribute, found: "\"\(text)\"") }
        return value
    }

    /// Converts a JSON value in the format of the export to a value of `attribute`.
    package static func value(_ json: JSONValue, for attribute: AttributeDescription, in model: ManagedObjectModel)
        throws
        -> PropertyValue
    {
        switch (attribute.type, json) {
        case (_, .null): return .null
        case (.string, .string(let text)): return .string(text)
        case (_, .object(let members)) where members["$missing"] != nil:
            throw InterchangeError(
                .malformed, "missingValue",
                "\(attribute.name): the bytes of this value are missing (\(members["$missing"]?.string ?? ""))")
        case (.composite, .object(let members)): return try composite(members, for: attribute, in: model)
        case (.boolean, .bool(let value)): return .bool(value)
        case (.integer16, .number(let text)), (.integer32, .number(let text)), (.integer64, .number(let text)),
            (.double, .number(let text)),
            (.float, .number(let text)), (.decimal, .number(let text)):
            return try value(text, for: attribute)
        case (.date, .number(let text)), (.date, .string(let text)):
            guard !text.isEmpty else { throw mismatch(attribute, found: "an empty string") }
            return try value(text, for: attribute)
        case (.double, .string("NaN")), (.double, .string("Infinity")), (.double, .string("-Infinity")),
            (.float, .string("NaN")),
            (.float, .string("Infinity")), (.float, .string("-Infinity")), (.decimal, .string), (.uuid, .string),
            (.uri, .string):
            return try value(json.string ?? "", for: attribute)
        case (.binary, .string(let text)), (.transformable, .string(let text)):
            guard let bytes = Data(base64Encoded: text) else {
                throw mismatch(attribute, found: "text that is not base64")
            }
            return data(bytes, attribute)
        default: throw mismatch(attribute, found: json.kind)
        }
    }

    /// The bytes of a file as a value.
    package static func value(_ bytes: Data, for attribute: AttributeDescription) throws -> PropertyValue {
        guard attribute.type == .binary || attribute.type == .transformable else {
            throw InterchangeError.usage(
                "\(attribute.name) is \(attribute.type.name), and only binary attributes take a file's bytes")
        }
        return data(bytes, attribute)
    }

    private static func data(_ bytes: Data, _ attribute: AttributeDescription) -> PropertyValue {
        attribute.allowsExternalBinaryDataStorage ? .large(LargeValue(bytes)) : .data(bytes)
    }

    private static func composite(
        _ members: [String: JSONValue], for attribute: AttributeDescription, in model: ManagedObjectModel
    ) throws -> PropertyValue {
        guard let name = attribute.compositeName, let composite = model.composite(named: name) else {
            throw mismatch(attribute, found: "an object")
        }
        var values: [String: PropertyValue] = [:]
        for (key, member) in members {
            guard let element = composite.attributes.first(where: { $0.name == key }) else {
                throw InterchangeError.usage(
                    "the composite \(name) has no attribute \(key)",
                    hint: Suggestion.sentence(for: key, among: composite.attributes.map(\.name)))
            }
            let value = try value(member, for: element, in: model)
            if !value.isNull { values[key] = value }
        }
        return .composite(values)
    }

    private static func mismatch(_ attribute: AttributeDescription, found: String) -> InterchangeError {
        let expectation: String =
            switch attribute.type {
            case .integer16: "a whole number from -32768 to 32767"
            case .integer32: "a whole number of 32 bits"
            case .integer64: "a whole number of 64 bits"
            case .decimal: "a decimal number of at most 38 digits"
            case .double, .float: "a number"
            case .string: "a string"
            case .boolean: "true or false"
            case .date: "a date such as 2001-02-03T04:05:06Z"
            case .binary, .transformable: "bytes as base64, or \(attribute.name)=@FILE"
            case .uuid: "a UUID"
            case .uri: "a URI (with %20 for a space)"
            case .composite: "an object, as \(attribute.name):={…}"
            case .undefined, .objectID: "nothing that can be typed"
            }
        return InterchangeError(
            .usage, "wrongType", "\(attribute.name) is \(attribute.type.name) and takes \(expectation), not \(found)",
            detail: .object(["key": .string(attribute.name), "type": .string(attribute.type.name)]))
    }

    /// Parses a date given as a number. Dates outside of the calendar are written as seconds since
    /// 2001. For other dates a number is rejected, because its reference date is ambiguous.
    /// - Returns: Nil for text that is not a number.
    private static func dateOfSeconds(_ text: String, _ attribute: AttributeDescription) throws -> PropertyValue? {
        guard let seconds = real(text) else { return nil }
        guard let since2001 = Timestamp.text(seconds),
            let since1970 = Timestamp.text(seconds - Date.timeIntervalBetween1970AndReferenceDate)
        else {
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
        throw InterchangeError(
            .usage, "wrongType",
            "\(attribute.name) is \(attribute.type.name) and takes no number, as \(text) does not say from when it counts",
            hint: "write \(since1970) if these are seconds since 1970, \(since2001) if they are seconds since 2001",
            detail: .object(["key": .string(attribute.name), "type": .string(attribute.type.name)]))
    }

    private static func integer(_ text: String, _ type: AttributeType) -> PropertyValue? {
        guard let value = Int64(text) else { return nil }
        let fits =
            switch type {
            case .integer16: Int16(exactly: value) != nil
            case .integer32: Int32(exactly: value) != nil
            default: true
            }
        return fits ? .int(value) : nil
    }

    /// Parses 36 characters: hexadecimal digits, and hyphens at their positions.
    private static func uuid(_ text: String) -> UUID? {
        var high: UInt64 = 0, low: UInt64 = 0, place = 0
        for byte in text.utf8 {
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = digit(byte) else { return nil }
                high = high << 4 | low >> 60
                low = low << 4 | UInt64(digit)
            }
            place += 1
        }
        guard place == 36 else { return nil }
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    private static func boolean(_ text: String) -> Bool? {
        if text == "true" || text == "1" { return true }
        if text == "false" || text == "0" { return false }
        return switch text.lowercased() {
        case "true", "yes": true
        case "false", "no": false
        default: nil
        }
    }

    private static func real(_ text: String) -> Double? {
        switch text {
        case "NaN": .nan
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        default: isNumber(text) ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
        }
    }

    private static func float(_ text: String) -> Float? {
        switch text {
        case "NaN": .nan
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        default: isNumber(text) ? Float(text).flatMap { $0.isFinite ? $0 : nil } : nil
        }
    }

    private static func decimal(_ text: String) -> Decimal? {
        if text == "NaN" { return .nan }
        guard isNumber(text) else { return nil }
        let mantissa = text.prefix { $0 != "e" && $0 != "E" }
        let digits = mantissa.filter { $0.isASCII && $0.isNumber }.drop { $0 == "0" }
        guard digits.count <= 38 else { return nil }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    /// Digits with an optional sign, decimal point and exponent, which all parsers used here
    /// accept.
    private static func isNumber(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        func skipSign() { if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() } }
        func skipDigits() -> Bool {
            guard let first = rest.first, (0x30...0x39).contains(first) else { return false }
            while let next = rest.first, (0x30...0x39).contains(next) { rest.removeFirst() }
            return true
        }
        skipSign()
        guard skipDigits() else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard skipDigits() else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            skipSign()
            guard skipDigits() else { return false }
        }
        return rest.isEmpty
    }
}
