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
        // One end of a many-to-many relationship may become to-one. The migration fails if objects
        // are actually shared.
        let wasManyToMany = End(old) == .many && End(oldInverse?.relationship) == .many
        if old.isToMany, !relationship.isToMany, !(wasManyToMany && End(inverse?.relationship) == .many) {
            add(
                .toManyToOne, entity, property,
                "was to-many and becomes to-one: nothing says which of its objects remains",
                remedy:
                    "keep it to-many, give the to-one relationship another name, or migrate by a mapping model that chooses the object"
            )
            return
        }
        checkDestination(property, formerly: former, entity)
        if let inverse, !inverse.isTransient, isTornFromItsInverse(inverse, oldInverse) {
            add(
                .inversePairing, entity, property,
                "becomes the inverse of \(relationship.destinationEntityName).\(inverse.name), but the two were not each other's inverse before",
                remedy: "keep the inverse, or give one of the two a new name")
            return
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
            let name = destination.entities[image].name
            add(
                .relationshipDestination, entity, property,
                "led to objects of \(source.entities[index].name), which are now \(name) and not \(expected.name)",
                remedy:
                    "let it lead to \(name) or a parent of it, set renaming identifiers so that \(expected.name) is the former \(source.entities[index].name), or give the relationship a new name"
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

    /// If the new version allows only one owner, the old version must not have allowed several.
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
        if End(old) == .many, End(oldInverse) == .many, End(relationship) == .many, End(inverse) == .one { return }
        // In this case the inverse violates a rule itself, and that is the reason to report.
        if End(oldInverse) == .many, End(inverse) == .one, isFormer(property) { return }
        let owner = inverse.map { "its inverse \($0.name) is to-one" } ?? "it is to-many without an inverse"
        add(
            .sharedMembers, entity, property, "could share objects with others before, and can't now: \(owner)",
            remedy: "make the inverse to-many, or migrate by a mapping model that chooses the owner")
    }
}
