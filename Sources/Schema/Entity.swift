/// An entity in its model, with everything that follows from the model resolved: inherited
/// properties, place in the hierarchy.
///
/// Immutable. It holds its super-entities and not its model; the sub-entities and destinations of
/// relationships are found by asking the model.
public final class Entity: Sendable {
    /// What the model declares for this entity alone.
    public let description: EntityDescription
    /// The entity that it inherits from; nil for the root of a hierarchy.
    public let superentity: Entity?
    /// The names of the direct sub-entities, in the model's order.
    public let subentityNames: [String]
    /// Attributes and relationships, inherited ones first; fetched properties are apart.
    public let properties: [Property]
    /// Own and inherited ones, inherited ones first.
    public let fetchedProperties: [FetchedPropertyDescription]
    /// Own and inherited constraints.
    public let uniquenessConstraints: [[String]]
    private let indexByName: [String: Int]

    /// The position in `ManagedObjectModel.entities`.
    package let index: Int
    /// The position of the root of the hierarchy.
    package let rootIndex: Int
    /// Tells models apart cheaply: no two models of a process have the same number.
    package let modelNumber: UInt64
    /// This entity and all its descendants stand together at these positions of
    /// `ManagedObjectModel.entities`.
    package let family: Range<Int>

    package init(
        description: EntityDescription, superentity: Entity?, subentityNames: [String], index: Int, family: Range<Int>,
        modelNumber: UInt64,
        resolveEntity: (String) -> Int?
    ) {
        self.description = description
        self.superentity = superentity
        self.subentityNames = subentityNames
        self.index = index
        self.family = family
        self.modelNumber = modelNumber
        rootIndex = superentity?.rootIndex ?? index
        var properties = superentity?.properties ?? []
        for attribute in description.attributes {
            properties.append(
                Property(
                    kind: .attribute(attribute), index: properties.count, declaringEntityIndex: index,
                    destinationIndex: -1))
        }
        for relationship in description.relationships {
            properties.append(
                Property(
                    kind: .relationship(relationship), index: properties.count, declaringEntityIndex: index,
                    destinationIndex: resolveEntity(relationship.destinationEntityName) ?? -1))
        }
        self.properties = properties
        indexByName = Dictionary(properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        fetchedProperties = (superentity?.fetchedProperties ?? []) + description.fetchedProperties
        uniquenessConstraints = (superentity?.uniquenessConstraints ?? []) + description.uniquenessConstraints
    }

    /// The name by which the model, requests and object URIs know it.
    public var name: String { description.name }
    /// Whether it has no objects of its own, only those of sub-entities.
    public var isAbstract: Bool { description.isAbstract }
    /// The class of its objects; nil is `ManagedObject`.
    public var managedObjectClassName: String? { description.managedObjectClassName }

    /// The attribute or relationship called `name`, inherited ones included.
    public func property(named name: String) -> Property? {
        indexByName[name].map { properties[$0] }
    }

    package func propertyIndex(named name: String) -> Int? { indexByName[name] }

    /// Own and inherited ones, inherited ones first.
    public var attributes: [AttributeDescription] { properties.compactMap(\.attribute) }
    /// Own and inherited ones, inherited ones first.
    public var relationships: [RelationshipDescription] { properties.compactMap(\.relationship) }

    /// Own and inherited ones. Cost: made anew by each call.
    public var attributesByName: [String: AttributeDescription] {
        Dictionary(attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Own and inherited ones. Cost: made anew by each call.
    public var relationshipsByName: [String: RelationshipDescription] {
        Dictionary(relationships.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether this entity is `other` or one of its descendants. Both are entities of one model.
    public func isKind(of other: Entity) -> Bool { other.family.contains(index) }
}

extension Entity: Hashable {
    public static func == (left: Entity, right: Entity) -> Bool {
        left === right || (left.description == right.description && left.superentity == right.superentity)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(description.name)
    }
}
