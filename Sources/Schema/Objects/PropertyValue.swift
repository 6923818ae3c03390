public import Foundation

/// The value of a property in a row, in a predicate or as a default value.
///
/// Integers of every width are `.int`; the value of a transformable attribute is the `.data` that
/// its transformer produced. Objects are represented by their IDs.
public enum PropertyValue: Sendable, Hashable {
    /// No value; nil.
    case null
    /// An integer of any width.
    case int(Int64)
    /// A truth value.
    case bool(Bool)
    /// A floating-point number of 64 bits.
    case double(Double)
    /// A floating-point number of 32 bits.
    case float(Float)
    /// A decimal number.
    case decimal(Decimal)
    /// A point in time.
    case date(Date)
    /// A string.
    case string(String)
    /// Bytes in memory; also a transformed value.
    case data(Data)
    /// A UUID.
    case uuid(UUID)
    /// A URI.
    case uri(URL)
    /// A binary value that may be stored in a file of its own; see ``LargeValue``.
    case large(LargeValue)
    /// The values of a composite attribute, by the names of its parts.
    case composite([String: PropertyValue])
    /// A reference to an object: the value of a to-one relationship.
    case object(ManagedObjectID)
    /// The objects of a to-many relationship, or a list of values. The objects of an unordered
    /// relationship are in ascending order of entity and primary key.
    case list([PropertyValue])

    /// Whether the value is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
