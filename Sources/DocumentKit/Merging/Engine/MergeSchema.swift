internal import Schema

/// The properties of a model as a merge treats them.
struct MergeSchema {
    enum Kind {
        case attribute(AttributeDescription)
        /// With a to-one relationship as its inverse: both ends are decided together.
        case oneToOne(inverse: String)
        case toOne
        /// Where the inverse is to-one that says who is a member, and this one in which order.
        case toMany(isOrdered: Bool, isOrderOnly: Bool)
    }

    struct Property {
        let kind: Kind
        /// Whether an object without a value here is invalid.
        let isRequired: Bool
    }

    /// A uniqueness constraint, with the entity that declares it: it holds for all its descendants.
    struct Constraint: Hashable {
        let entity: String
        let attributes: [String]
    }

    let model: ManagedObjectModel
    private let properties: [String: [String: Property]]
    private let constraintsByEntity: [String: [Constraint]]
    private let entitiesWithLinks: Set<String>

    init(_ model: ManagedObjectModel) {
        self.model = model
        var properties: [String: [String: Property]] = [:], constraints: [String: [Constraint]] = [:]
        for entity in model.entities where !entity.isAbstract {
            var own: [String: Property] = [:]
            for property in entity.properties where !property.isTransient {
                guard let kind = Self.kind(property, model) else { continue }
                own[property.name] = Property(kind: kind, isRequired: !property.isOptional)
            }
            properties[entity.name] = own
            constraints[entity.name] = Self.constraints(of: entity)
        }
        self.properties = properties
        entitiesWithLinks = Set(
            properties.filter { $0.value.values.contains { if case .attribute = $0.kind { false } else { true } } }.keys
        )
        constraintsByEntity = constraints
    }

    subscript(_ entity: String, _ property: String) -> Property? { properties[entity]?[property] }

    func properties(of entity: String) -> [String: Property] { properties[entity] ?? [:] }

    func constraints(of entity: String) -> [Constraint] { constraintsByEntity[entity] ?? [] }

    var hasConstraints: Bool { constraintsByEntity.values.contains { !$0.isEmpty } }

    /// Whether objects of an entity have relationships.
    func hasLinks(_ entity: String) -> Bool { entitiesWithLinks.contains(entity) }

    private static func kind(_ property: Schema.PropertyDescription, _ model: ManagedObjectModel) -> Kind? {
        if let attribute = property.attribute { return attribute.isDerived ? nil : .attribute(attribute) }
        guard let relationship = property.relationship else { return nil }
        let inverse = model.inverse(of: property)
        if relationship.isToMany {
            return .toMany(isOrdered: relationship.isOrdered, isOrderOnly: inverse?.isToMany == false)
        }
        if let inverse, !inverse.isToMany { return .oneToOne(inverse: inverse.name) }
        return .toOne
    }

    private static func constraints(of entity: EntityDescription) -> [Constraint] {
        var found: [Constraint] = [], next: EntityDescription? = entity
        while let entity = next {
            found += entity.definition.uniquenessConstraints.map { Constraint(entity: entity.name, attributes: $0) }
            next = entity.superentity
        }
        return found
    }
}
