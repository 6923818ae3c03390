import Schema

/// The Swift type of an attribute, as Xcode's generation chooses it.
///
/// A scalar is not optional and shows 0 for nil; everything else is optional, whether the model
/// lets it be nil or not, since a new object may have none.
struct SwiftType {
    /// The type of the property.
    let text: String
    /// What the typed handle is of; nil for values that are read by key.
    let typed: String?
    let isScalar: Bool
    let isOfFoundation: Bool
    /// What makes the value read by key one of the type.
    var cast: String { text == "Any?" ? "" : " as? \(text.dropLast())" }

    init(_ attribute: AttributeDescription) {
        let scalar: String?
        let object: String
        switch attribute.type {
        case .integer16: (scalar, object) = ("Int16", "Int16")
        case .integer32: (scalar, object) = ("Int32", "Int32")
        case .integer64: (scalar, object) = ("Int64", "Int64")
        case .double: (scalar, object) = ("Double", "Double")
        case .float: (scalar, object) = ("Float", "Float")
        case .boolean: (scalar, object) = ("Bool", "Bool")
        // A scalar date is the seconds since the reference date.
        case .date: (scalar, object) = ("TimeInterval", "Date")
        case .decimal: (scalar, object) = (nil, "Decimal")
        case .string: (scalar, object) = (nil, "String")
        case .uuid: (scalar, object) = (nil, "UUID")
        case .uri: (scalar, object) = (nil, "URL")
        // What the transformer made; the model's value class is known to the transformer alone.
        case .binary, .transformable:
            (scalar, object) = (nil, attribute.allowsExternalBinaryDataStorage ? "LargeValue" : "Data")
        case .composite: (scalar, object) = (nil, "[String: PropertyValue]")
        case .undefined, .objectID: (scalar, object) = (nil, "Any")
        }
        isScalar = attribute.usesScalarValueType && scalar != nil
        let plain = isScalar ? scalar ?? object : object
        text = isScalar ? plain : plain + "?"
        isOfFoundation = ["TimeInterval", "Date", "Decimal", "UUID", "URL", "Data"].contains(plain)
        switch attribute.type {
        case .composite, .undefined, .objectID: typed = nil
        default: typed = plain
        }
    }
}
