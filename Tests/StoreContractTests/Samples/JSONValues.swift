import Foundation
import Schema
import Storage

/// Values of a model's attributes, and metadata, as JSON and back: what the samples of stores have
/// in common.
struct JSONValues: Sendable {
    private let model: ManagedObjectModel

    init(_ model: ManagedObjectModel) { self.model = model }

    /// Numbers stand as text, which loses nothing.
    func json(_ value: PropertyValue) -> Any {
        switch value {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .bool(let flag): flag
        case .double(let number): "\(number)"
        case .float(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
        case .data(let bytes): bytes.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString
        case .uri(let url): url.absoluteString
        case .composite(let parts): parts.mapValues(json)
        case .null, .large, .object, .list: ""
        }
    }

    func value(_ json: Any, _ attribute: AttributeDescription) -> PropertyValue? {
        if attribute.type == .boolean { return (json as? Bool).map { .bool($0) } }
        if attribute.type == .composite {
            guard let fields = json as? [String: Any],
                let composite = model.composite(named: attribute.compositeName ?? "")
            else { return nil }
            var parts: [String: PropertyValue] = [:]
            for (name, part) in fields {
                guard let attribute = composite.attributes.first(where: { $0.name == name }),
                    let value = value(part, attribute)
                else { return nil }
                parts[name] = value
            }
            return .composite(parts)
        }
        guard let text = json as? String else { return nil }
        switch attribute.type {
        case .string: return .string(text)
        case .integer16, .integer32, .integer64: return Int64(text).map { .int($0) }
        case .double: return Double(text).map { .double($0) }
        case .float: return Float(text).map { .float($0) }
        case .decimal: return Decimal(string: text).map { .decimal($0) }
        case .date: return Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .binary, .transformable: return Data(base64Encoded: text).map { .data($0) }
        case .uuid: return UUID(uuidString: text).map { .uuid($0) }
        case .uri: return URL(string: text).map { .uri($0) } ?? .string(text)
        case .boolean, .composite, .undefined, .objectID: return nil
        }
    }

    // MARK: Metadata

    func json(_ metadata: [String: MetadataValue]) -> [String: Any] { metadata.mapValues(Self.json) }

    /// Nil for what is no metadata.
    func metadata(_ json: Any) -> [String: MetadataValue]? {
        guard let fields = json as? [String: Any] else { return nil }
        let values = fields.compactMapValues(Self.metadataValue)
        return values.count == fields.count ? values : nil
    }

    private static func json(_ value: MetadataValue) -> Any {
        switch value {
        case .string(let text): ["string": text]
        case .integer(let number): ["integer": "\(number)"]
        case .real(let number): ["real": "\(number)"]
        case .boolean(let flag): ["boolean": flag]
        case .date(let date): ["date": "\(date.timeIntervalSinceReferenceDate)"]
        case .data(let bytes): ["data": bytes.base64EncodedString()]
        case .array(let elements): ["array": elements.map(json)]
        case .dictionary(let pairs): ["dictionary": pairs.mapValues(json)]
        }
    }

    private static func metadataValue(_ json: Any) -> MetadataValue? {
        guard let fields = json as? [String: Any], let (kind, value) = fields.first, fields.count == 1 else {
            return nil
        }
        let text = value as? String
        switch kind {
        case "string": return text.map { .string($0) }
        case "integer": return text.flatMap { Int64($0) }.map { .integer($0) }
        case "real": return text.flatMap { Double($0) }.map { .real($0) }
        case "boolean": return (value as? Bool).map { .boolean($0) }
        case "date": return text.flatMap { Double($0) }.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case "data": return text.flatMap { Data(base64Encoded: $0) }.map { .data($0) }
        case "array":
            guard let elements = value as? [Any] else { return nil }
            let values = elements.compactMap(metadataValue)
            return values.count == elements.count ? .array(values) : nil
        case "dictionary":
            guard let pairs = value as? [String: Any] else { return nil }
            let values = pairs.compactMapValues(metadataValue)
            return values.count == pairs.count ? .dictionary(values) : nil
        default: return nil
        }
    }
}
