public import Foundation

/// The value of a property, as it stands in a row, a predicate or a default.
///
/// Integers of every width are `.int`; a transformable is the `.data` that its transformer made.
/// References to objects are IDs: objects themselves never leave their context.
public enum PropertyValue: Sendable, Hashable {
    case null
    case int(Int64)
    case bool(Bool)
    case double(Double)
    case float(Float)
    case decimal(Decimal)
    case date(Date)
    case string(String)
    case data(Data)
    case uuid(UUID)
    case uri(URL)
    /// A binary value that may live outside the store; see ``LargeValue``.
    case large(LargeValue)
    case composite([String: PropertyValue])
    case object(ManagedObjectID)
    /// A to-many value or a list: unordered relationships have their elements in ascending order of
    /// entity and number.
    case list([PropertyValue])

    /// Whether there is no value.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
