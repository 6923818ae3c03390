import Query
package import Schema
package import Storage

extension MigrationPlan {
    /// The plan by which a store can perform the migration of a mapping model in place; nil if the
    /// migration requires objects, for policies, filters, computed values, or changes that the
    /// rules of inference do not allow.
    ///
    /// Objects keep their primary keys, which a migration object by object does not guarantee. An
    /// entity may be split into several.
    package static func equivalent(
        to mapping: MappingModel, from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) -> MigrationPlan? {
        MappingTranslation(mapping, source, destination)?.plan
    }
}

/// Translates a mapping model to an equivalent plan, if there is one.
private struct MappingTranslation {
    private let mapping: MappingModel
    private let source: ManagedObjectModel
    private let destination: ManagedObjectModel
    /// The mappings that create objects, by index in the destination model.
    private var mappings: [Int: EntityMapping] = [:]
    /// The indexes of the destination entities of each source entity, in the order of the mappings.
    /// The first one is the main image.
    private var images: [Int: [Int]] = [:]
    private var steps: [MigrationPlan.EntityStep?]

    init?(_ mapping: MappingModel, _ source: ManagedObjectModel, _ destination: ManagedObjectModel) {
        self.mapping = mapping
        self.source = source
        self.destination = destination
        steps = Array(repeating: nil, count: destination.entities.count)
        guard mapping.fits(from: source, to: destination),
            Set(mapping.entityMappings.map(\.name)).count == mapping.entityMappings.count, pairEntities()
        else { return nil }
        for (index, mapping) in mappings {
            guard let step = step(destination.entities[index], mapping) else { return nil }
            steps[index] = step
        }
        linkCounterparts()
    }

    /// Nil if a rule of inference is violated.
    var plan: MigrationPlan? {
        let mainImages = images.compactMapValues(\.first)
        let inference = MappingInference(
            checking: MigrationPlan(source: source, destination: destination, steps: steps, mainImages: mainImages),
            mainImages: mainImages)
        return inference.isUnconditional ? inference.plan : nil
    }

    private mutating func pairEntities() -> Bool {
        var origins: Set<[Int]> = []
        for mapping in mapping.entityMappings where mapping.kind != .add && mapping.kind != .remove {
            guard let old = mapping.sourceEntityName, let new = mapping.destinationEntityName else { continue }
            guard let from = source.entity(named: old), let to = destination.entity(named: new),
                mapping.migrationPolicyName == nil, mapping.sourcePredicate == nil,
                mappings.updateValue(mapping, forKey: to.index) == nil,
                // The parts of a split object keep its primary key, which must be unique in each
                // hierarchy.
                origins.insert([from.index, to.rootIndex]).inserted
            else { return false }
            images[from.index, default: []].append(to.index)
        }
        return !mappings.isEmpty
    }

    private func step(_ entity: EntityDescription, _ mapping: EntityMapping) -> MigrationPlan.EntityStep? {
        guard let origin = mapping.sourceEntityName.flatMap({ source.entity(named: $0) }) else { return nil }
        var step = MigrationPlan.EntityStep(
            sourceIndex: origin.index, origins: Array(repeating: .new, count: entity.properties.count))
        for property in entity.properties where !property.isTransient {
            // Derived values are maintained by triggers of the store and are not migrated.
            if property.attribute?.isDerived == true { return nil }
            guard let expression = mapping.propertyMapping(named: property.name)?.valueExpression else { continue }
            let found =
                property.attribute.map { self.origin(of: $0, expression, origin) }
                ?? self.origin(of: property, expression, origin)
            guard let found else { return nil }
            step.origins[property.index] = found
        }
        return step
    }

    // MARK: Attributes

    private func origin(of attribute: AttributeDescription, _ expression: QueryExpression, _ entity: EntityDescription)
        -> MigrationPlan.Origin?
    {
        var expression = expression, fills = false
        if case .constant(let value) = expression { return value == attribute.defaultValue ?? .null ? .new : nil }
        if case .conditional(.comparison(let comparison), let value, .constant(let fallback)) = expression {
            guard comparison == ComparisonPredicate(value, .notEqual, .constant(.null)),
                fallback == attribute.defaultValue
            else { return nil }
            (expression, fills) = (value, true)
        }
        guard case .keyPath(.variable("source"), let keys) = expression, keys.count == 1,
            let property = entity.property(named: keys[0]), !property.isTransient,
            let old = property.attribute, old.type == attribute.type, !old.isDerived,
            // A migration in place does not validate values, so stricter validation rules require a
            // migration by objects.
            attribute.minimumValue == nil || attribute.minimumValue == old.minimumValue,
            attribute.maximumValue == nil || attribute.maximumValue == old.maximumValue,
            attribute.regularExpression == nil || attribute.regularExpression == old.regularExpression,
            attribute.isOptional || !old.isOptional || fills
        else { return nil }
        return .property(property.index)
    }

    // MARK: Relationships

    private func origin(of property: PropertyDescription, _ expression: QueryExpression, _ entity: EntityDescription)
        -> MigrationPlan.Origin?
    {
        guard let relationship = property.relationship,
            case .call(.variable("manager"), let selector, let arguments) = expression, arguments.count == 2,
            case .constant(.string(let name)) = arguments[0]
        else { return nil }
        if selector == "destinationInstancesForEntityMappingNamed:sourceInstances:", arguments[1] == .variable("source")
        {
            guard !relationship.isToMany, let other = mapping.entityMapping(named: name),
                other.sourceEntityName == entity.name,
                let image = other.destinationEntityName.flatMap({ destination.entity(named: $0) }),
                mappings[image.index]?.name == name,
                image.isKind(of: destination.entities[property.destinationIndex])
            else { return nil }
            return .counterpart(image.index)
        }
        guard case .keyPath(.variable("source"), let keys) = arguments[1], keys.count == 1,
            let former = entity.property(named: keys[0]), !former.isTransient,
            let old = former.relationship, relationship.minCount <= old.minCount || relationship.isOptional,
            !relationship.isToMany || relationship.maxCount <= 0
                || (old.maxCount > 0 && relationship.maxCount >= old.maxCount),
            relationship.isOptional || !old.isOptional
        else { return nil }
        let members = source.entities[former.destinationIndex].family.filter { images[$0] != nil }
        switch selector {
        case "destinationInstancesForEntityMappingNamed:sourceInstances:":
            guard let other = mapping.entityMapping(named: name),
                let image = members.first.flatMap({ images[$0]?.first }), members.count == 1,
                mappings[image]?.name == other.name
            else { return nil }
        case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
            let expected = destination.entities[property.destinationIndex]
            guard name == keys[0],
                members.allSatisfy({ images[$0]?.first.map { destination.entities[$0].isKind(of: expected) } ?? false })
            else { return nil }
        default: return nil
        }
        return .property(former.index)
    }

    /// Sets the counterparts of to-one inverses of relationships between the parts of a split
    /// object.
    private mutating func linkCounterparts() {
        for (index, step) in steps.enumerated() {
            for (place, origin) in (step?.origins ?? []).enumerated() {
                guard case .counterpart(let other) = origin,
                    let inverse = destination.inverse(of: destination.entities[index].properties[place]),
                    !inverse.isToMany,
                    steps[other]?.origins[inverse.index] == .new
                else { continue }
                steps[other]?.origins[inverse.index] = .counterpart(index)
            }
        }
    }
}
