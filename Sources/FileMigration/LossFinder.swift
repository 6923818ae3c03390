internal import Query
internal import Schema
internal import Storage

/// Finds the properties of a store that a migration drops. Conforming types describe the migration.
protocol LossFinder {
    var store: any StoreBackend { get }
    /// Whether the migration takes objects of an entity to the new store.
    func isTaken(_ entity: EntityDescription) -> Bool
    /// Whether the migration takes the values of a property of an entity, regardless of its
    /// inverse.
    func isTaken(_ property: PropertyDescription, of entity: EntityDescription) -> Bool
}

extension LossFinder {
    var model: ManagedObjectModel { store.identity.model }

    func lostProperties(of entity: EntityDescription) -> [PropertyDescription] {
        entity.properties.filter { !$0.isTransient && $0.attribute?.isDerived != true && !isKept($0, of: entity) }
    }

    /// Whether the values of a property are kept. A relationship is kept if either end is taken;
    /// links to dropped objects don't count as a loss of their own.
    private func isKept(_ property: PropertyDescription, of entity: EntityDescription) -> Bool {
        if isTaken(property, of: entity) { return true }
        guard property.relationship != nil else { return false }
        let members = model.entities[property.destinationIndex].family.map { model.entities[$0] }
        if !members.contains(where: isTaken) { return true }
        guard let inverse = model.inverse(of: property) else { return false }
        return members.contains { isTaken(inverse, of: $0) }
    }

    /// The number of objects of an entity, without subentities, that match a condition.
    func count(_ entity: EntityDescription, _ condition: FetchPredicate = .constant(true)) throws -> Int {
        try store.count(
            RowRequest(entityIndex: entity.index, includesSubentities: false, selection: .matching(condition)))
    }
}

extension PropertyDescription {
    /// A predicate that is true if an object has a value of the property or is related to at least
    /// one object.
    var hasValue: FetchPredicate {
        let path = QueryExpression.keyPath(base: nil, components: isToMany ? [name, "@count"] : [name])
        return .comparison(
            isToMany
                ? ComparisonPredicate(path, .greater, .constant(.int(0)))
                : ComparisonPredicate(path, .notEqual, .constant(.null)))
    }
}
