import Foundation

extension PropertyValue: CustomStringConvertible {
    /// The value as Swift code makes it, such as `.string("Dune")` and `.int(3)`. Bytes are shown
    /// by their number, dates in ISO 8601, objects by their URIs, and the parts of a composite by
    /// name.
    public var description: String {
        switch self {
        case .null: ".null"
        case .int(let value): ".int(\(value))"
        case .bool(let value): ".bool(\(value))"
        case .double(let value): ".double(\(value))"
        case .float(let value): ".float(\(value))"
        case .decimal(let value): ".decimal(\(value))"
        case .date(let value): ".date(\(Self.text(value)))"
        case .string(let value): ".string(\(value.debugDescription))"
        case .data(let value): ".data(\(value.count) bytes)"
        case .uuid(let value): ".uuid(\(value))"
        case .uri(let value): ".uri(\(value.absoluteString))"
        case .large(let value): ".large(\((try? value.count).map { "\($0) bytes" } ?? "missing"))"
        case .composite(let parts):
            ".composite([" + parts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
                + "])"
        case .object(let id): ".object(\(id))"
        case .list(let elements): ".list([" + elements.map(\.description).joined(separator: ", ") + "])"
        }
    }

    private static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.magnitude < calendarSeconds else { return "\(seconds) seconds after 2001" }
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Dates within fewer seconds of 2001 are shown by the calendar.
    private static let calendarSeconds = 6e10
}
