import Foundation
import Schema

/// A value of a snapshot, limited to types that every `Codable` format supports. The model
/// determines its meaning.
enum SnapshotValue: Sendable, Hashable {
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case list([SnapshotValue])
    case parts([String: SnapshotValue])
}

extension SnapshotValue: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([SnapshotValue].self) {
            self = .list(value)
        } else {
            self = .parts(try container.decode([String: SnapshotValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .parts(let value): try container.encode(value)
        }
    }
}

extension SnapshotValue {
    /// Creates the snapshot value of an attribute's value; nil if the value is nil.
    /// - Throws: Errors of reading the file of a large value.
    init?(_ value: PropertyValue) throws {
        switch value {
        case .null, .object, .list: return nil
        case .int(let value): self = .int(value)
        case .bool(let value): self = .bool(value)
        case .double(let value): self = .double(value)
        // Converted through the text, which keeps the digits of the `Float`.
        case .float(let value): self = .double(Double("\(value)") ?? Double(value))
        case .decimal(let value): self = .string("\(value)")
        case .date(let value): self = .double(value.timeIntervalSinceReferenceDate)
        case .string(let value): self = .string(value)
        case .data(let value): self = .string(value.base64EncodedString())
        case .uuid(let value): self = .string(value.uuidString)
        case .uri(let value): self = .string(value.absoluteString)
        case .large(let value): self = .string(try value.data().base64EncodedString())
        case .composite(let parts): self = .parts(try parts.compactMapValues { try SnapshotValue($0) })
        }
    }

    /// The value converted to the type of an attribute; nil if that is not possible.
    func value(of attribute: AttributeDescription, in model: ManagedObjectModel) -> PropertyValue? {
        switch (attribute.type, self) {
        case (.boolean, .bool(let value)): return .bool(value)
        case (.integer16, .int(let value)): return Int16(exactly: value).map { .int(Int64($0)) }
        case (.integer32, .int(let value)): return Int32(exactly: value).map { .int(Int64($0)) }
        case (.integer64, .int(let value)): return .int(value)
        case (.double, _), (.float, _), (.date, _):
            guard let number else { return nil }
            return attribute.type == .date ? .date(Date(timeIntervalSinceReferenceDate: number)) : .double(number)
        case (.decimal, .string(let text)):
            return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
        case (.decimal, .int(let value)): return .decimal(Decimal(value))
        case (.decimal, .double(let value)): return Decimal(string: "\(value)").map { .decimal($0) }
        case (.string, .string(let text)): return .string(text)
        case (.uuid, .string(let text)): return UUID(uuidString: text).map { .uuid($0) }
        case (.uri, .string(let text)): return URL(string: text).map { .uri($0) }
        case (.binary, .string(let text)), (.transformable, .string(let text)):
            return Data(base64Encoded: text).map { .data($0) }
        case (.composite, .parts(let parts)):
            guard let composite = model.composite(of: attribute) else { return nil }
            var values: [String: PropertyValue] = [:]
            for (name, part) in parts {
                guard let element = composite.attributes.first(where: { $0.name == name }),
                    let value = part.value(of: element, in: model)
                else { return nil }
                values[name] = value
            }
            return .composite(values)
        default: return nil
        }
    }

    private var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
