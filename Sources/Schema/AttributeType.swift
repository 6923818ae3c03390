/// The type of an attribute's values; the raw values are those of Core Data's public headers and
/// enter version hashes.
public enum AttributeType: Int, Sendable, Hashable, CaseIterable {
    /// No declared type; only transient attributes have it.
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    case transformable = 1800
    case objectID = 2000
    case composite = 2100

    /// The name that `.xcdatamodel` files use, such as `Integer 16`.
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

    /// The type that `.xcdatamodel` files call `name`, or nil.
    public init?(name: String) {
        guard let type = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = type
    }

    /// Whether values are whole numbers of a declared width.
    public var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
    /// Whether values are numbers; booleans and dates are none.
    public var isNumeric: Bool { isInteger || self == .decimal || self == .double || self == .float }
}
