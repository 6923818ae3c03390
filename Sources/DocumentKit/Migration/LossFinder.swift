internal import Query
internal import Schema
internal import Storage

/// Finds which properties of a store a migration leaves out. How the migration is described is the
/// matter of who conforms.
protocol LossFinder {
    var store: any StoreBackend { get }
    /// Whether objects of an entity are in the new store.
    func isTaken(_ entity: EntityDescription) -> Bool
    /// Whether the new store has the values of a property that objects of an entity have, by this
    /// end alone.
    func isTaken(_ property: PropertyDescription, of entity: EntityDescription) -> Bool
}

extension LossFinder {
    var model: ManagedObjectModel { store.identity.model }

    func lostProperties(of entity: EntityDescription) -> [PropertyDescription] {
        entity.properties.filter { !$0.isTransient && $0.attribute?.isDerived != true && !isKept($0, of: entity) }
    }

    /// A relationship stays where either of its ends does, and links to objects that are gone are
    /// gone with them.
    private func isKept(_ property: PropertyDescription, of entity: EntityDescription) -> Bool {
        if isTaken(property, of: entity) { return true }
        guard property.relationship != nil else { return false }
        let members = model.entities[property.destinationIndex].family.map { model.entities[$0] }
        if !members.contains(where: isTaken) { return true }
        guard let inverse = model.inverse(of: property) else { return false }
        return members.contains { isTaken(inverse, of: $0) }
    }

    /// How many objects of an entity, subentities not counted, meet a condition.
    func count(_ entity: EntityDescription, _ condition: FetchPredicate = .constant(true)) throws -> Int {
        try store.count(
            RowRequest(entityIndex: entity.index, includesSubentities: false, selection: .matching(condition)))
    }
}

extension PropertyDescription {
    /// Whether an object has a value of it, or is related to anything by it.
    var hasValue: FetchPredicate {
        let path = QueryExpression.keyPath(base: nil, components: isToMany ? [name, "@count"] : [name])
        return .comparison(
            isToMany
                ? ComparisonPredicate(path, .greater, .constant(.int(0)))
                : ComparisonPredicate(path, .notEqual, .constant(.null)))
    }
}
