/// Brings a model from a file into a consistent form, where a part of it says nothing that can be
/// followed and the rest holds without it. Xcode compiles such models with a warning.
///
/// Version hashes stay as they are, except where a property or a constraint names what is not
/// there.
package struct ModelCorrection {
    private var model: ManagedObjectModel.Definition
    private var warnings: [ModelError.Fault] = []
    private var entities: [String: EntityDefinition] = [:]

    /// Corrects a definition.
    ///
    /// - Returns: what was passed over, in the order of the entities. Faults that remain are found
    ///   by `ModelValidation`.
    package static func correct(_ model: inout ManagedObjectModel.Definition) -> [ModelError.Fault] {
        // The checks are meant for models within the limits; validation refuses others.
        guard ModelBounds(model).faults.isEmpty else { return [] }
        var correction = ModelCorrection(model: model)
        correction.correct()
        model = correction.model
        return correction.warnings
    }

    private init(model: ManagedObjectModel.Definition) { self.model = model }

    private mutating func warn(_ message: String, _ entity: String? = nil, _ property: String? = nil) {
        warnings.append(ModelError.Fault(entity: entity, property: property, message: message))
    }

    private mutating func note() {
        entities = Dictionary(model.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func correct() {
        note()
        for index in model.entities.indices {
            var entity = model.entities[index]
            correctParent(of: &entity)
            dropPropertiesWithoutDestination(of: &entity)
            model.entities[index] = entity
        }
        note()
        for index in model.entities.indices {
            var entity = model.entities[index]
            for place in entity.attributes.indices { correct(&entity.attributes[place], of: entity.name) }
            for place in entity.relationships.indices {
                correctCounts(of: &entity.relationships[place], entity.name)
                correctInverse(of: &entity.relationships[place], entity)
            }
            correctIndexes(of: &entity)
            model.entities[index] = entity
        }
        for index in model.composites.indices {
            var composite = model.composites[index]
            for place in composite.attributes.indices { correct(&composite.attributes[place], of: composite.name) }
            model.composites[index] = composite
        }
        correctConfigurations()
        correctFetchRequests()
    }

    // MARK: Entities

    private mutating func correctParent(of entity: inout EntityDefinition) {
        guard let parent = entity.superentityName, entities[parent] == nil else { return }
        warn("its parent “\(parent)” is no entity of the model: the entity has none", entity.name)
        entity.superentityName = nil
    }

    private mutating func dropPropertiesWithoutDestination(of entity: inout EntityDefinition) {
        for relationship in entity.relationships where entities[relationship.destinationEntityName] == nil {
            let name = relationship.destinationEntityName
            warn(
                (name.isEmpty ? "it has no destination" : "its destination “\(name)” is no entity of the model")
                    + ": the relationship is left out", entity.name, relationship.name)
        }
        entity.relationships.removeAll { entities[$0.destinationEntityName] == nil }
        for fetched in entity.fetchedProperties where entities[fetched.fetchRequest.entityName] == nil {
            warn(
                "its fetch request is for “\(fetched.fetchRequest.entityName)”, which is no entity of the model: it is left out",
                entity.name, fetched.name)
        }
        entity.fetchedProperties.removeAll { entities[$0.fetchRequest.entityName] == nil }
    }

    /// The names of all ancestors of an entity and of itself.
    private func line(of name: String) -> Set<String> {
        var seen: Set<String> = []
        var next: String? = name
        while let current = next, seen.insert(current).inserted { next = entities[current]?.superentityName }
        return seen
    }

    private func relationship(_ name: String, of entity: String) -> RelationshipDescription? {
        line(of: entity).lazy.compactMap { self.entities[$0]?.relationships.first { $0.name == name } }.first
    }

    private func hasProperty(_ name: String, _ entity: EntityDefinition) -> Bool {
        line(of: entity.name).contains { ancestor in
            guard let entity = entities[ancestor] else { return false }
            return entity.attributes.contains { $0.name == name } || entity.relationships.contains { $0.name == name }
                || entity.fetchedProperties.contains { $0.name == name }
        }
    }

    // MARK: Attributes

    private mutating func correct(_ attribute: inout AttributeDescription, of owner: String) {
        let name = attribute.name, type = attribute.type.name
        if let value = attribute.defaultValue, !ModelValidation.fits(value, attribute.type) {
            warn("the default value is no value of type \(type): there is none", owner, name)
            attribute.defaultValue = nil
        }
        if let value = attribute.minimumValue, !ModelValidation.isBound(value, attribute.type) {
            warn("the smallest value is no bound for type \(type): there is none", owner, name)
            attribute.minimumValue = nil
        }
        if let value = attribute.maximumValue, !ModelValidation.isBound(value, attribute.type) {
            warn("the greatest value is no bound for type \(type): there is none", owner, name)
            attribute.maximumValue = nil
        }
        if let low = attribute.minimumValue, let high = attribute.maximumValue, ModelValidation.isGreater(low, high) {
            warn("the smallest value is greater than the greatest: there are no bounds", owner, name)
            (attribute.minimumValue, attribute.maximumValue) = (nil, nil)
        }
        if attribute.regularExpression != nil, attribute.type != .string {
            warn("only strings can have a pattern: there is none", owner, name)
            attribute.regularExpression = nil
        }
        if attribute.allowsExternalBinaryDataStorage, attribute.type != .binary, attribute.type != .transformable {
            warn("only binary and transformable values can be kept in files of their own", owner, name)
            attribute.allowsExternalBinaryDataStorage = false
        }
    }

    // MARK: Relationships

    private mutating func correctCounts(of relationship: inout RelationshipDescription, _ entity: String) {
        if relationship.minCount < 0 {
            warn("its smallest count is negative: there is none", entity, relationship.name)
            relationship.minCount = 0
        }
        if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
            warn("its smallest count is greater than its greatest, which is taken", entity, relationship.name)
            relationship.minCount = relationship.maxCount
        }
    }

    private mutating func correctInverse(of relationship: inout RelationshipDescription, _ entity: EntityDefinition) {
        guard let name = relationship.inverseName else { return }
        let destination = relationship.destinationEntityName
        let objection: String
        if let inverse = self.relationship(name, of: destination) {
            if !line(of: entity.name).contains(inverse.destinationEntityName),
                !line(of: inverse.destinationEntityName).contains(entity.name)
            {
                objection = "leads to \(inverse.destinationEntityName)"
            } else if inverse.inverseName != relationship.name {
                objection = inverse.inverseName.map { "has the inverse “\($0)”" } ?? "has no inverse"
            } else {
                return
            }
        } else {
            objection = "is no relationship"
        }
        warn("its inverse \(destination).\(name) \(objection): it has none", entity.name, relationship.name)
        relationship.inverseName = nil
        relationship.unmatchedInverseName = name
    }

    // MARK: Indexes and constraints

    private mutating func correctIndexes(of entity: inout EntityDefinition) {
        let original = entity
        func isUnique(_ name: String) -> Bool {
            for ancestor in line(of: original.name) {
                guard let entity = entities[ancestor] else { continue }
                if entity.attributes.contains(where: { $0.name == name && !$0.isTransient }) { return true }
                if entity.relationships.contains(where: { $0.name == name && !$0.isToMany && !$0.isTransient }) {
                    return true
                }
            }
            return false
        }
        for names in entity.uniquenessConstraints where names.isEmpty || !names.allSatisfy(isUnique) {
            warn(
                "a uniqueness constraint names what can't be unique: \(names.joined(separator: ", ")): it is left out",
                entity.name)
        }
        entity.uniquenessConstraints.removeAll { names in names.isEmpty || !names.allSatisfy(isUnique) }
        func isWhole(_ element: FetchIndexDescription.Element) -> Bool {
            element.propertyName.map { hasProperty($0, original) } ?? (element.expression != nil)
        }
        for index in entity.indexes where !index.elements.allSatisfy(isWhole) {
            warn("the index “\(index.name)” names an unknown property: it is left out", entity.name)
        }
        entity.indexes.removeAll { index in !index.elements.allSatisfy(isWhole) }
        for names in entity.compoundIndexes where !names.allSatisfy({ hasProperty($0, original) }) {
            warn(
                "a compound index names an unknown property: \(names.joined(separator: ", ")): it is left out",
                entity.name)
        }
        entity.compoundIndexes.removeAll { names in !names.allSatisfy { hasProperty($0, original) } }
    }

    // MARK: Other parts of the model

    private mutating func correctConfigurations() {
        for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
            for member in members where entities[member] == nil {
                warn("the configuration “\(name)” names an unknown entity", member)
            }
            model.configurations[name] = members.filter { entities[$0] != nil }
        }
    }

    private mutating func correctFetchRequests() {
        var seen: Set<String> = []
        var kept: [FetchRequestTemplate] = []
        for request in model.fetchRequestTemplates {
            if entities[request.entityName] == nil {
                warn(
                    "the fetch request “\(request.name)” is for “\(request.entityName)”, which is no entity of the model: it is left out"
                )
            } else if !seen.insert(request.name).inserted {
                warn("there are two fetch requests called “\(request.name)”: the first is taken")
            } else {
                kept.append(request)
            }
        }
        model.fetchRequestTemplates = kept
    }
}
