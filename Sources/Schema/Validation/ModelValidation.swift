/// Finds all errors of a model before it is used.
///
/// Every check works on the unvalidated definition and relies on no other check: names may be
/// unknown or duplicate, and hierarchies may be circular.
package struct ModelValidation {
    let model: ManagedObjectModel.Definition
    let entities: [String: EntityDefinition]
    let composites: [String: CompositeDescription]
    /// The ancestors of each entity, nearest first, up to the first repetition in a cycle.
    let ancestors: [String: [EntityDefinition]]
    let properties: [String: [String: Declared]]
    private(set) var faults: [ModelError.Fault] = []

    /// The declaration for a name in an entity, inherited properties included.
    enum Declared {
        case attribute(AttributeDescription)
        case relationship(RelationshipDescription)
        case fetchedProperty
    }

    /// All faults, in the order of the entities.
    package static func faults(in model: ManagedObjectModel.Definition) -> [ModelError.Fault] {
        // A model that exceeds the limits is not checked any further, because the checks could take
        // too much time and memory.
        let excess = ModelBounds(model).faults
        if !excess.isEmpty { return excess }
        var validation = ModelValidation(model)
        validation.checkNamesOfEntities()
        for entity in model.entities { validation.check(entity) }
        validation.checkComposites()
        validation.checkConfigurations()
        validation.checkFetchRequests()
        return validation.faults
    }

    private init(_ model: ManagedObjectModel.Definition) {
        self.model = model
        let entities = Dictionary(model.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var ancestors: [String: [EntityDefinition]] = [:]
        var properties: [String: [String: Declared]] = [:]
        for entity in model.entities {
            var chain: [EntityDefinition] = []
            var seen: Set<String> = [entity.name]
            var next = entity.superentityName
            while let name = next, let parent = entities[name], seen.insert(name).inserted {
                chain.append(parent)
                next = parent.superentityName
            }
            ancestors[entity.name] = chain
            var declared: [String: Declared] = [:]
            for owner in [entity] + chain {
                for attribute in owner.attributes where declared[attribute.name] == nil {
                    declared[attribute.name] = .attribute(attribute)
                }
                for relationship in owner.relationships where declared[relationship.name] == nil {
                    declared[relationship.name] = .relationship(relationship)
                }
                for fetched in owner.fetchedProperties where declared[fetched.name] == nil {
                    declared[fetched.name] = .fetchedProperty
                }
            }
            properties[entity.name] = declared
        }
        self.entities = entities
        composites = Dictionary(model.composites.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.ancestors = ancestors
        self.properties = properties
    }

    mutating func report(_ message: String, entity: String? = nil, property: String? = nil) {
        faults.append(ModelError.Fault(entity: entity, property: property, message: message))
    }

    /// Whether `name` is `other` or one of its descendants.
    func isKind(_ name: String, of other: String) -> Bool {
        name == other || (ancestors[name] ?? []).contains { $0.name == other }
    }

    /// A letter or underscore, then letters, digits and underscores.
    static func isLegal(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            scalar == "_" || scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
                || scalar.properties.generalCategory == .nonspacingMark
        }
    }

    // MARK: Entities

    private mutating func checkNamesOfEntities() {
        var seen: Set<String> = []
        for entity in model.entities where !seen.insert(entity.name).inserted {
            report("there are two entities of this name", entity: entity.name)
        }
    }

    private mutating func check(_ entity: EntityDefinition) {
        if !Self.isLegal(entity.name) { report("“\(entity.name)” is no legal name of an entity", entity: entity.name) }
        checkParent(of: entity)
        checkNamesOfProperties(of: entity)
        for attribute in entity.attributes { check(attribute, of: entity.name) }
        for relationship in entity.relationships { check(relationship, of: entity) }
        for fetched in entity.fetchedProperties where entities[fetched.fetchRequest.entityName] == nil {
            report(
                "its fetch request is for “\(fetched.fetchRequest.entityName)”, which is no entity of the model",
                entity: entity.name, property: fetched.name)
        }
        checkConstraintsAndIndexes(of: entity)
    }

    private mutating func checkParent(of entity: EntityDefinition) {
        guard let parent = entity.superentityName else { return }
        guard entities[parent] != nil else {
            return report("its parent “\(parent)” is no entity of the model", entity: entity.name)
        }
        let chain = ancestors[entity.name] ?? []
        if parent == entity.name || chain.last?.superentityName == entity.name {
            report(
                "it is its own ancestor: \(([entity.name] + chain.map(\.name) + [entity.name]).joined(separator: " → "))",
                entity: entity.name)
        }
    }

    private mutating func checkNamesOfProperties(of entity: EntityDefinition) {
        let names =
            entity.attributes.map(\.name) + entity.relationships.map(\.name) + entity.fetchedProperties.map(\.name)
        var seen: Set<String> = []
        for name in names {
            if !Self.isLegal(name) {
                report("“\(name)” is no legal name of a property", entity: entity.name, property: name)
            }
            if !seen.insert(name).inserted {
                report("there are two properties of this name", entity: entity.name, property: name)
            }
            let owner = (ancestors[entity.name] ?? []).first { parent in
                parent.attributes.contains { $0.name == name } || parent.relationships.contains { $0.name == name }
                    || parent.fetchedProperties.contains { $0.name == name }
            }
            if let owner {
                report("a property of this name is inherited from \(owner.name)", entity: entity.name, property: name)
            }
        }
    }

    private mutating func checkConstraintsAndIndexes(of entity: EntityDefinition) {
        let declared = properties[entity.name] ?? [:]
        for constraint in entity.uniquenessConstraints {
            if constraint.isEmpty { report("a uniqueness constraint without attributes", entity: entity.name) }
            for name in constraint {
                switch declared[name] {
                case .attribute(let attribute) where !attribute.isTransient: break
                case .relationship(let relationship) where !relationship.isToMany && !relationship.isTransient: break
                case nil:
                    report("a uniqueness constraint names an unknown attribute", entity: entity.name, property: name)
                default:
                    report(
                        "a uniqueness constraint names a property that can't be one", entity: entity.name,
                        property: name)
                }
            }
        }
        for index in entity.indexes {
            for element in index.elements {
                guard let name = element.propertyName else {
                    if element.expression == nil {
                        report(
                            "the index “\(index.name)” has an element without property or expression",
                            entity: entity.name)
                    }
                    continue
                }
                if declared[name] == nil {
                    report("the index “\(index.name)” names an unknown property", entity: entity.name, property: name)
                }
            }
        }
        for name in entity.compoundIndexes.joined() where declared[name] == nil {
            report("a compound index names an unknown property", entity: entity.name, property: name)
        }
    }

    // MARK: Other parts of the model

    private mutating func checkConfigurations() {
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            for member in members where entities[member] == nil {
                report("the configuration “\(name)” names an unknown entity", entity: member)
            }
        }
    }

    private mutating func checkFetchRequests() {
        var seen: Set<String> = []
        for request in model.fetchRequestTemplates {
            if !seen.insert(request.name).inserted { report("there are two fetch requests called “\(request.name)”") }
            if entities[request.entityName] == nil {
                report(
                    "the fetch request “\(request.name)” is for “\(request.entityName)”, which is no entity of the model"
                )
            }
        }
    }
}
