/// A property of an entity of a model: an attribute or a relationship with its place in the entity.
public struct Property: Sendable, Hashable {
    /// What a property is, with its declaration.
    public enum Kind: Sendable, Hashable {
        case attribute(AttributeDescription)
        case relationship(RelationshipDescription)
    }

    /// What the property is, with its declaration.
    public let kind: Kind
    /// The place among the entity's properties. A sub-entity begins with the properties of its
    /// super-entity, in the same places.
    public let index: Int
    /// The position in the model of the entity that declares the property.
    package let declaringEntityIndex: Int
    /// The position in the model of a relationship's destination; −1 for attributes.
    package let destinationIndex: Int

    /// The name, unique among the properties of its entity.
    public var name: String {
        switch kind {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    /// Whether no store keeps it.
    public var isTransient: Bool {
        switch kind {
        case .attribute(let attribute): attribute.isTransient
        case .relationship(let relationship): relationship.isTransient
        }
    }

    /// Whether an object can be saved without a value.
    public var isOptional: Bool {
        switch kind {
        case .attribute(let attribute): attribute.isOptional
        case .relationship(let relationship): relationship.isOptional
        }
    }

    /// The declaration of an attribute, nil for a relationship.
    public var attribute: AttributeDescription? {
        if case .attribute(let attribute) = kind { attribute } else { nil }
    }

    /// The declaration of a relationship, nil for an attribute.
    public var relationship: RelationshipDescription? {
        if case .relationship(let relationship) = kind { relationship } else { nil }
    }

    /// Whether its value is many objects; false for attributes.
    public var isToMany: Bool { relationship?.isToMany ?? false }
}
