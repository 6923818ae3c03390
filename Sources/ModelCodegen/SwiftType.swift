import Schema

/// The Swift type of an attribute, chosen like Xcode does.
///
/// A scalar is not optional, and is 0 for nil. All other types are optional, even if the attribute
/// is mandatory, because a new object may have no value.
struct SwiftType {
    /// The type of the property.
    let text: String
    /// The value type of the typed property; nil for values that are accessed by key.
    let typed: String?
    let isScalar: Bool
    let isOfFoundation: Bool
    /// The cast from a value that is accessed by key.
    var cast: String { text == "Any?" ? "" : " as? \(text.dropLast())" }

    init(_ attribute: AttributeDescription, _ names: SwiftNames) {
        let scalar: String?
        let object: String
        switch attribute.type {
        case .integer16: (scalar, object) = ("Int16", "Int16")
        case .integer32: (scalar, object) = ("Int32", "Int32")
        case .integer64: (scalar, object) = ("Int64", "Int64")
        case .double: (scalar, object) = ("Double", "Double")
        case .float: (scalar, object) = ("Float", "Float")
        case .boolean: (scalar, object) = ("Bool", "Bool")
        // A scalar date is the number of seconds since the reference date.
        case .date: (scalar, object) = ("TimeInterval", "Date")
        case .decimal: (scalar, object) = (nil, "Decimal")
        case .string: (scalar, object) = (nil, "String")
        case .uuid: (scalar, object) = (nil, "UUID")
        case .uri: (scalar, object) = (nil, "URL")
        // The encoded data, because only the transformer knows the class of the value.
        case .binary, .transformable:
            (scalar, object) = (nil, attribute.allowsExternalBinaryDataStorage ? "LargeValue" : "Data")
        case .composite: (scalar, object) = (nil, "[\(names.swift("String")): \(names.folio("PropertyValue"))]")
        case .undefined, .objectID: (scalar, object) = (nil, "Any")
        }
        isScalar = attribute.usesScalarValueType && scalar != nil
        let name = isScalar ? scalar ?? object : object
        isOfFoundation = ["TimeInterval", "Date", "Decimal", "UUID", "URL", "Data"].contains(name)
        let plain: String =
            switch name {
            case "LargeValue": names.folio(name)
            case _ where isOfFoundation: names.type(name, in: "Foundation")
            case _ where name.first == "[" || name == "Any": name
            default: names.swift(name)
            }
        text = isScalar ? plain : plain + "?"
        switch attribute.type {
        case .composite, .undefined, .objectID: typed = nil
        default: typed = plain
        }
    }
}
