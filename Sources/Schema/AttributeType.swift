/// The type of an attribute's values. The raw values are those of Core Data and are part of version
/// hashes.
public enum AttributeType: Int, Sendable, Hashable, CaseIterable {
    /// No declared type; allowed for transient attributes only.
    case undefined = 0
    /// A signed integer of 16 bits.
    case integer16 = 100
    /// A signed integer of 32 bits.
    case integer32 = 200
    /// A signed integer of 64 bits.
    case integer64 = 300
    /// A decimal number, as Foundation's `Decimal`.
    case decimal = 400
    /// A floating-point number of 64 bits.
    case double = 500
    /// A floating-point number of 32 bits.
    case float = 600
    /// Unicode text.
    case string = 700
    /// A truth value.
    case boolean = 800
    /// A point in time.
    case date = 900
    /// Bytes, optionally stored in a file of their own; see
    /// ``AttributeDescription/allowsExternalBinaryDataStorage``.
    case binary = 1000
    /// A UUID.
    case uuid = 1100
    /// A URL.
    case uri = 1200
    /// A value that an ``AttributeTransformer`` converts to data and back.
    case transformable = 1800
    /// The ID of an object.
    case objectID = 2000
    /// A group of attributes that a ``CompositeDescription`` defines.
    case composite = 2100

    /// The name of the type in `.xcdatamodel` files, such as `Integer 16`.
    public var name: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "ObjectID"
        case .composite: "Composite"
        }
    }

    /// The type with this name in `.xcdatamodel` files; nil if there is none.
    public init?(name: String) {
        guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// Whether values are integers of 16, 32 or 64 bits.
    public var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
    /// Whether values are numbers. Booleans and dates are not.
    public var isNumeric: Bool { isInteger || self == .decimal || self == .double || self == .float }
}
