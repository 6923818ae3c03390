/// A property of an entity of a model: an attribute or a relationship with its place in the entity.
public struct Property: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case attribute(AttributeDescription)
        case relationship(RelationshipDescription)
    }

    public let kind: Kind
    /// The place among the entity's properties. A sub-entity begins with the properties of its super-entity, in the same places.
    public let index: Int
    /// The position in the model of the entity that declares the property.
    package let declaringEntityIndex: Int
    /// The position in the model of a relationship's destination; −1 for attributes.
    package let destinationIndex: Int

    public var name: String {
        switch kind {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    public var isTransient: Bool {
        switch kind {
        case .attribute(let attribute): attribute.isTransient
        case .relationship(let relationship): relationship.isTransient
        }
    }

    public var isOptional: Bool {
        switch kind {
        case .attribute(let attribute): attribute.isOptional
        case .relationship(let relationship): relationship.isOptional
        }
    }

    public var attribute: AttributeDescription? {
        if case .attribute(let attribute) = kind { attribute } else { nil }
    }

    public var relationship: RelationshipDescription? {
        if case .relationship(let relationship) = kind { relationship } else { nil }
    }

    public var isToMany: Bool { relationship?.isToMany ?? false }
}
