import Schema
import Storage

/// Relationships: the links that a store has must satisfy the relationship of the new version.
extension MappingInference {
    /// The multiplicity of one end of a relationship; nil if the end does not exist.
    private enum End {
        case one, many

        init?(_ relationship: RelationshipDescription?) {
            guard let relationship else { return nil }
            self = relationship.isToMany ? .many : .one
        }
    }

    mutating func checkRelationship(
        _ property: PropertyDescription, formerly former: PropertyDescription, _ entity: EntityDescription
    ) {
        guard let relationship = property.relationship, let old = former.relationship else { return }
        let inverse = destination.inverse(of: property), oldInverse = source.inverse(of: former)
        if old.isToMany, !relationship.isToMany {
            require(.toManyToOne, entity, property, "becomes to-one: every object has one object at most")
        }
        checkDestination(property, formerly: former, entity)
        if let inverse, !inverse.isTransient, isTornFromItsInverse(inverse, oldInverse) {
            require(
                .inversePairing, entity, property,
                "becomes the inverse of \(relationship.destinationEntityName).\(inverse.name): the two agree")
        }
        checkSharing(property, inverse?.relationship, formerly: old, oldInverse?.relationship, entity)
    }

    private mutating func checkDestination(
        _ property: PropertyDescription, formerly former: PropertyDescription, _ entity: EntityDescription
    ) {
        let expected = destination.entities[property.destinationIndex]
        for index in source.entities[former.destinationIndex].family {
            guard let image = plan.destinationIndices[index], !destination.entities[image].isKind(of: expected) else {
                continue
            }
            require(
                .relationshipDestination, entity, property,
                "leads to objects of \(expected.name) alone: no object is linked to one of the former \(source.entities[index].name)"
            )
            return
        }
    }

    /// Whether the inverse of a relationship comes from a relationship.
    private func isFormer(_ property: PropertyDescription) -> Bool {
        guard let inverse = destination.inverse(of: property) else { return false }
        return destination.entities[inverse.declaringEntityIndex].family.contains {
            plan.originIndex(entityIndex: $0, propertyIndex: inverse.index) != nil
        }
    }

    /// Whether the inverse comes from another relationship than the former inverse.
    private func isTornFromItsInverse(_ inverse: PropertyDescription, _ oldInverse: PropertyDescription?) -> Bool {
        // The inverse comes from the entity that declares it or, if that is new, from its
        // sub-entities.
        for index in destination.entities[inverse.declaringEntityIndex].family {
            guard let step = plan.steps[index], case .property(let place) = step.origins[inverse.index] else {
                continue
            }
            let former = source.entities[step.sourceIndex].properties[place]
            guard let oldInverse, former.name == oldInverse.name else { return true }
        }
        return false
    }

    /// If the new version allows only one owner, and the old version allowed several, no object may
    /// have several.
    private mutating func checkSharing(
        _ property: PropertyDescription, _ inverse: RelationshipDescription?, formerly old: RelationshipDescription,
        _ oldInverse: RelationshipDescription?, _ entity: EntityDescription
    ) {
        guard let relationship = property.relationship else { return }
        let couldShare: Bool
        switch (End(old), End(oldInverse)) {
        case (.one, nil), (.one, .many), (.many, .many): couldShare = true
        default: couldShare = false
        }
        let mustNotShare: Bool
        switch (End(relationship), End(inverse)) {
        // The members of a to-many relationship without an inverse are stored with their owner:
        // each has one owner.
        case (.many, nil), (_, .one): mustNotShare = true
        default: mustNotShare = false
        }
        guard couldShare, mustNotShare else { return }
        // That the inverse becomes to-one is its own condition.
        if End(oldInverse) == .many, End(inverse) == .one, isFormer(property) { return }
        let owner = inverse.map { "its inverse \($0.name) is to-one" } ?? "it is to-many without an inverse"
        require(.sharedMembers, entity, property, "shares no object between two objects: \(owner)")
    }
}
