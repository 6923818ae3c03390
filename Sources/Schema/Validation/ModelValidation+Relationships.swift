extension ModelValidation {
    mutating func check(_ relationship: RelationshipDescription, of entity: EntityDefinition) {
        checkCounts(of: relationship, of: entity.name)
        let destination = relationship.destinationEntityName
        guard entities[destination] != nil else {
            return report(
                destination.isEmpty
                    ? "it has no destination" : "its destination “\(destination)” is no entity of the model",
                entity: entity.name,
                property: relationship.name)
        }
        guard let name = relationship.inverseName else { return }
        switch properties[destination]?[name] {
        case nil:
            report(
                "its inverse “\(name)” is no property of \(destination)", entity: entity.name,
                property: relationship.name)
        case .relationship(let inverse): check(inverse, asInverseOf: relationship, of: entity)
        default:
            report(
                "its inverse \(destination).\(name) is no relationship", entity: entity.name,
                property: relationship.name)
        }
    }

    private mutating func check(
        _ inverse: RelationshipDescription, asInverseOf relationship: RelationshipDescription,
        of entity: EntityDefinition
    ) {
        let place = "\(relationship.destinationEntityName).\(inverse.name)"
        // Either relationship may be declared for a super-entity of the other end.
        if !isKind(entity.name, of: inverse.destinationEntityName),
            !isKind(inverse.destinationEntityName, of: entity.name)
        {
            report(
                "its inverse \(place) leads to \(inverse.destinationEntityName)", entity: entity.name,
                property: relationship.name)
        } else if inverse.inverseName != relationship.name {
            let other = inverse.inverseName.map { "has the inverse “\($0)”" } ?? "has no inverse"
            report("its inverse \(place) \(other)", entity: entity.name, property: relationship.name)
        }
    }

    private mutating func checkCounts(of relationship: RelationshipDescription, of entity: String) {
        if relationship.minCount < 0 {
            report("its smallest count is negative", entity: entity, property: relationship.name)
        }
        if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
            report("its smallest count is greater than its greatest", entity: entity, property: relationship.name)
        }
    }
}
