package import Schema

/// The entities and properties of a model as a merge treats them. Both are called by numbers: their
/// positions in the order of their names, which all states of a document share.
package struct MergeSchema: Sendable {
    enum Kind: Sendable {
        /// With the rule that the model gives for it.
        case attribute(AttributeMerge.Rule?)
        /// With a to-one relationship as its inverse: both ends are decided together.
        case oneToOne(inverse: String)
        case toOne
        /// Where the inverse is to-one that says who is a member, and this one in which order.
        case toMany(isOrdered: Bool, isOrderOnly: Bool)
    }

    struct Property: Sendable {
        let name: String
        /// The index in the entity of the model.
        let index: Int
        let kind: Kind
        /// Whether an object without a value here is invalid.
        let isRequired: Bool

        var isLink: Bool { if case .attribute = kind { false } else { true } }
        var isToMany: Bool { if case .toMany = kind { true } else { false } }
    }

    /// A uniqueness constraint: it holds for all descendants of the entity that declares it.
    struct Constraint: Sendable {
        struct Name: Hashable, Sendable {
            let entity: String
            let attributes: [String]
        }

        let name: Name
        /// The numbers of the attributes in the entity that has the constraint.
        let attributes: [Int]
    }

    /// A class, since it is passed around often and has many parts.
    final class Entity: Sendable {
        let name: String
        /// The index in the model.
        let index: Int
        let properties: [Property]
        /// The numbers of the attributes, and their indexes in the entity of the model.
        let attributes: [Int]
        let attributeIndexes: [Int]
        /// The numbers of the relationships.
        let links: [Int]
        let constraints: [Constraint]
        /// What new objects have, by the numbers of the attributes.
        private let defaults: [Int: PropertyValue]
        private let numbers: [String: Int]

        fileprivate init(_ entity: EntityDescription, _ model: ManagedObjectModel) {
            name = entity.name
            index = entity.index
            let properties = MergeSchema.properties(of: entity, model)
            let numbers = Dictionary(uniqueKeysWithValues: properties.enumerated().map { ($1.name, $0) })
            self.properties = properties
            self.numbers = numbers
            attributes = properties.indices.filter { !properties[$0].isLink }
            attributeIndexes = attributes.map { properties[$0].index }
            links = properties.indices.filter { properties[$0].isLink }
            defaults = Dictionary(
                uniqueKeysWithValues: properties.indices.compactMap { number in
                    entity.properties[properties[number].index].attribute?.defaultValue.map { (number, $0) }
                })
            constraints = MergeSchema.constraints(of: entity).compactMap { name in
                let attributes = name.attributes.compactMap { numbers[$0] }
                return attributes.count == name.attributes.count
                    ? Constraint(name: name, attributes: attributes) : nil
            }
        }

        func number(ofProperty name: String) -> Int? { numbers[name] }

        func defaultValue(_ attribute: Int) -> PropertyValue { defaults[attribute] ?? .null }
    }

    let model: ManagedObjectModel
    /// Whether values may lie in files of their own.
    let mayHaveLargeValues: Bool
    private let entities: [Entity]
    private let numbers: [String: Int]
    /// By the index in the model; −1 for abstract entities.
    private let numbersByIndex: [Int]

    package init(_ model: ManagedObjectModel) {
        self.model = model
        mayHaveLargeValues = model.entities.contains { entity in
            entity.properties.contains { property in
                let type = property.attribute?.type
                return type == .binary || type == .transformable || type == .undefined
            }
        }
        entities = model.entities.filter { !$0.isAbstract }.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }.map { Entity($0, model) }
        let numbers = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($1.name, $0) })
        self.numbers = numbers
        numbersByIndex = model.entities.map { numbers[$0.name] ?? -1 }
    }

    var entityCount: Int { entities.count }

    subscript(entity: Int) -> Entity { entities[entity] }

    subscript(entity: Int, property: Int) -> Property { entities[entity].properties[property] }

    /// Nil for an entity that has no objects of its own.
    package func number(ofEntity name: String) -> Int? { numbers[name] }

    /// - Parameter entity: Of this model or of one with the same entities.
    func number(of entity: EntityDescription) -> Int? {
        guard entity.modelNumber == model.number else { return number(ofEntity: entity.name) }
        return numbersByIndex[entity.index] >= 0 ? numbersByIndex[entity.index] : nil
    }

    package func number(ofProperty name: String, in entity: Int) -> Int? {
        entities[entity].number(ofProperty: name)
    }

    /// The object of the base that a text such as `Book/p7` names.
    func name(_ text: String) -> MergeName? {
        let parts = text.split(separator: "/")
        guard parts.count == 2, parts[1].first == "p", let number = Int64(parts[1].dropFirst()),
            let entity = self.number(ofEntity: String(parts[0]))
        else { return nil }
        return MergeName(entity, number)
    }

    /// The name of the root of the hierarchy of an entity, in which keys are unique.
    func rootName(of entity: Int) -> String {
        model.entities[model.entities[entities[entity].index].rootIndex].name
    }

    var hasConstraints: Bool { entities.contains { !$0.constraints.isEmpty } }

    /// Whether objects of an entity have relationships.
    func hasLinks(_ entity: Int) -> Bool { !entities[entity].links.isEmpty }

    private static func properties(of entity: EntityDescription, _ model: ManagedObjectModel) -> [Property] {
        entity.properties.filter { !$0.isTransient }.compactMap { property in
            kind(property, model).map {
                Property(name: property.name, index: property.index, kind: $0, isRequired: !property.isOptional)
            }
        }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    private static func kind(_ property: Schema.PropertyDescription, _ model: ManagedObjectModel) -> Kind? {
        if let attribute = property.attribute {
            return attribute.isDerived ? nil : .attribute(AttributeMerge.Rule(attribute))
        }
        guard let relationship = property.relationship else { return nil }
        let inverse = model.inverse(of: property)
        if relationship.isToMany {
            return .toMany(isOrdered: relationship.isOrdered, isOrderOnly: inverse?.isToMany == false)
        }
        if let inverse, !inverse.isToMany { return .oneToOne(inverse: inverse.name) }
        return .toOne
    }

    private static func constraints(of entity: EntityDescription) -> [Constraint.Name] {
        var found: [Constraint.Name] = [], next: EntityDescription? = entity
        while let entity = next {
            found += entity.definition.uniquenessConstraints.map {
                Constraint.Name(entity: entity.name, attributes: $0)
            }
            next = entity.superentity
        }
        return found
    }
}
