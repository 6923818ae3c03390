package import Schema

/// The statically known type of an expression's value.
package indirect enum StaticType: Sendable {
    /// Nil, or any value.
    case unknown
    /// A number. The attribute type is given if the expression is the value of an attribute;
    /// constants are converted to it.
    case number(AttributeType?)
    case date
    case string
    case uri
    case uuid
    case binary(isExternal: Bool)
    /// A value that can be compared with nil only: a transformable value.
    case opaque
    case object(EntityDescription)
    /// A reference to an object of an unknown entity.
    case reference
    case composite(CompositeDescription)
    case collection(StaticType, isOrdered: Bool)

    /// The type of an attribute's value.
    static func attribute(_ attribute: AttributeDescription, in model: ManagedObjectModel) -> StaticType {
        switch attribute.type {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean: .number(attribute.type)
        case .string: .string
        case .date: .date
        case .binary: .binary(isExternal: attribute.allowsExternalBinaryDataStorage)
        case .uuid: .uuid
        case .uri: .uri
        case .objectID: .reference
        case .composite: attribute.compositeName.flatMap(model.composite(named:)).map(StaticType.composite) ?? .opaque
        case .transformable, .undefined: .opaque
        }
    }

    /// The type of a constant.
    static func constant(_ value: PropertyValue) -> StaticType {
        switch value {
        case .null: .unknown
        case .int, .bool, .double, .float, .decimal: .number(nil)
        case .date: .date
        case .string: .string
        case .data, .large: .binary(isExternal: false)
        case .uuid: .uuid
        case .uri: .uri
        case .composite: .opaque
        case .object: .reference
        case .list(let values):
            .collection(values.lazy.map(constant).first { !$0.isUnknown } ?? .unknown, isOrdered: true)
        }
    }

    var isUnknown: Bool {
        if case .unknown = self { true } else { false }
    }

    /// Whether string operators accept the value.
    var isText: Bool {
        switch self {
        case .string, .uri, .unknown: true
        default: false
        }
    }

    var isNumber: Bool {
        switch self {
        case .number, .unknown: true
        default: false
        }
    }

    var hasOrder: Bool {
        switch self {
        case .unknown, .number, .date, .string, .uri, .uuid: true
        case .binary(let isExternal): !isExternal
        case .opaque, .object, .reference, .composite, .collection: false
        }
    }

    /// The element type of a collection, and whether it is ordered.
    var elements: (type: StaticType, isOrdered: Bool)? {
        if case .collection(let type, let isOrdered) = self { (type, isOrdered) } else { nil }
    }

    /// Whether values of the two types can be equal.
    func isComparable(with other: StaticType) -> Bool {
        switch (self, other) {
        case (.unknown, _), (_, .unknown): true
        case (.number, .number), (.date, .date), (.uuid, .uuid), (.reference, .reference), (.object, .reference),
            (.reference, .object):
            true
        case (.binary(let a), .binary(let b)): !a && !b
        case (.object(let a), .object(let b)): a.rootIndex == b.rootIndex
        case (.string, .string), (.string, .uri), (.uri, .string), (.uri, .uri): true
        default: false
        }
    }

    /// The name of the type in messages.
    var name: String {
        switch self {
        case .unknown: "nil"
        case .number(let type): type == .boolean ? "boolean" : "number"
        case .date: "date"
        case .string: "string"
        case .uri: "URI"
        case .uuid: "UUID"
        case .binary(let isExternal): isExternal ? "large binary value" : "binary value"
        case .opaque: "transformable value"
        case .object(let entity): "reference to \(entity.name)"
        case .reference: "reference"
        case .composite(let composite): "composite (\(composite.name))"
        case .collection(let element, _):
            if case .object(let entity) = element { "collection of \(entity.name)" } else { "collection" }
        }
    }
}
