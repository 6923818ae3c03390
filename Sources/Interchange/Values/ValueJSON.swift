package import Coding
package import Folio
import Foundation

/// Values as JSON, in the shape of the export.
package enum ValueJSON {
    package static func json(_ value: PropertyValue) -> JSONValue {
        switch value {
        case .null: return .null
        case .int(let number): return .int(number)
        case .bool(let value): return .bool(value)
        case .double(let number):
            return ValueText.double(number).map { .number($0) } ?? .string(ValueText.notFinite(number))
        case .float(let number):
            return ValueText.float(number).map { .number($0) } ?? .string(ValueText.notFinite(Double(number)))
        case .decimal, .string, .data, .uuid, .uri: return .string(ValueText.plain(value) ?? "")
        case .date(let date):
            // What no calendar has is a number of seconds.
            guard let text = Timestamp.text(date.timeIntervalSinceReferenceDate) else {
                return json(.double(date.timeIntervalSinceReferenceDate))
            }
            return .string(text)
        case .large(let large):
            guard let bytes = try? large.data() else {
                return .object(["$missing": .string(large.fileName ?? "")])
            }
            return .string(bytes.base64EncodedString())
        case .composite(let parts): return .object(parts.mapValues { json($0) })
        case .object(let id): return .string(id.description)
        case .list(let elements): return .array(elements.map { json($0) })
        }
    }
}
