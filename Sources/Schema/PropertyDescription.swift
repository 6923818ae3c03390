/// An attribute or a relationship of an entity, together with its index in the entity.
public struct PropertyDescription: Sendable, Hashable {
    /// The declaration of a property.
    public enum Kind: Sendable, Hashable {
        /// An attribute.
        case attribute(AttributeDescription)
        /// A relationship.
        case relationship(RelationshipDescription)
    }

    /// The declaration of the property.
    public let kind: Kind
    /// The index of the property in ``EntityDescription/properties``. A sub-entity starts with the
    /// properties of its super-entity, at the same indexes.
    public let index: Int
    /// The index in the model of the entity that declares the property.
    package let declaringEntityIndex: Int
    /// The index in the model of a relationship's destination entity; −1 for attributes.
    package let destinationIndex: Int

    /// The name of the property, unique in its entity.
    public var name: String {
        switch kind {
        case .attribute(let attribute): attribute.name
        case .relationship(let relationship): relationship.name
        }
    }

    /// Whether the property is never written to a store.
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

    /// The declaration of the attribute; nil for a relationship.
    public var attribute: AttributeDescription? {
        if case .attribute(let attribute) = kind { attribute } else { nil }
    }

    /// The declaration of the relationship; nil for an attribute.
    public var relationship: RelationshipDescription? {
        if case .relationship(let relationship) = kind { relationship } else { nil }
    }

    /// Whether the property is a to-many relationship.
    public var isToMany: Bool { relationship?.isToMany ?? false }
}

extension PropertyDescription: CustomStringConvertible {
    /// The name of the property.
    public var description: String { name }
}
