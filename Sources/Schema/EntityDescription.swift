/// An entity of a model with its inherited properties and its position in the hierarchy resolved.
///
/// Immutable. An entity refers to its super-entities but not to its model: ask the model for
/// sub-entities and for the destinations of relationships.
public final class EntityDescription: Sendable {
    /// The model's declaration of this entity, without inherited properties.
    public let definition: EntityDefinition
    /// The entity that this one inherits from; nil for the root of a hierarchy.
    public let superentity: EntityDescription?
    /// The names of the direct sub-entities, in the order of the model.
    public let subentityNames: [String]
    /// All attributes and relationships, inherited ones first. Fetched properties are in
    /// ``fetchedProperties``.
    public let properties: [PropertyDescription]
    /// All fetched properties, inherited ones first.
    public let fetchedProperties: [FetchedPropertyDescription]
    /// All uniqueness constraints, inherited ones first: lists of attribute names.
    public let uniquenessConstraints: [[String]]
    private let indexByName: [String: Int]

    /// The index in `ManagedObjectModel.entities`.
    package let index: Int
    /// The index of the root entity of the hierarchy.
    package let rootIndex: Int
    /// A number that is unique for each model in the process, for fast comparison of models.
    package let modelNumber: UInt64
    /// The indexes of this entity and its descendants in `ManagedObjectModel.entities`, which are
    /// contiguous.
    package let family: Range<Int>

    package init(
        description: EntityDefinition, superentity: EntityDescription?, subentityNames: [String], index: Int,
        family: Range<Int>,
        modelNumber: UInt64,
        resolveEntity: (String) -> Int?
    ) {
        self.definition = description
        self.superentity = superentity
        self.subentityNames = subentityNames
        self.index = index
        self.family = family
        self.modelNumber = modelNumber
        rootIndex = superentity?.rootIndex ?? index
        var properties = superentity?.properties ?? []
        for attribute in description.attributes {
            properties.append(
                PropertyDescription(
                    kind: .attribute(attribute), index: properties.count, declaringEntityIndex: index,
                    destinationIndex: -1))
        }
        for relationship in description.relationships {
            properties.append(
                PropertyDescription(
                    kind: .relationship(relationship), index: properties.count, declaringEntityIndex: index,
                    destinationIndex: resolveEntity(relationship.destinationEntityName) ?? -1))
        }
        self.properties = properties
        indexByName = Dictionary(properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        fetchedProperties = (superentity?.fetchedProperties ?? []) + description.fetchedProperties
        uniquenessConstraints = (superentity?.uniquenessConstraints ?? []) + description.uniquenessConstraints
    }

    /// The name of the entity in the model, in requests and in object URIs.
    public var name: String { definition.name }
    /// Whether only sub-entities of this entity have objects.
    public var isAbstract: Bool { definition.isAbstract }
    /// The name of the class of the entity's objects; nil for ``ManagedObject``.
    public var managedObjectClassName: String? { definition.managedObjectClassName }

    /// The attribute or relationship with this name, inherited ones included; nil if there is none.
    public func property(named name: String) -> PropertyDescription? {
        indexByName[name].map { properties[$0] }
    }

    package func propertyIndex(named name: String) -> Int? { indexByName[name] }

    /// All attributes, inherited ones first. The array is built by each call.
    public var attributes: [AttributeDescription] { properties.compactMap(\.attribute) }
    /// All relationships, inherited ones first. The array is built by each call.
    public var relationships: [RelationshipDescription] { properties.compactMap(\.relationship) }

    /// All attributes by name, inherited ones included. The dictionary is built by each call.
    public var attributesByName: [String: AttributeDescription] {
        Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All relationships by name, inherited ones included. The dictionary is built by each call.
    public var relationshipsByName: [String: RelationshipDescription] {
        Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether this entity is `other` or one of its descendants. Both must belong to the same
    /// model.
    public func isKind(of other: EntityDescription) -> Bool { other.family.contains(index) }
}

extension EntityDescription: Hashable {
    public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
        left === right || (left.definition == right.definition && left.superentity == right.superentity)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(definition.name)
    }
}

extension EntityDescription: CustomStringConvertible {
    /// The name of the entity.
    public var description: String { name }
}
