import Folio

/// Looks up entities and properties by the names that users type.
enum EntityLookup {
    static func entity(named name: String, in model: ManagedObjectModel) throws -> EntityDescription {
        if let entity = model.entity(named: name) { return entity }
        let names = model.entities.map(\.name)
        throw CommandError(
            .usage, "unknownEntity", "there is no entity \(name)",
            hint: Suggestion.sentence(for: name, among: names) ?? "the model has "
                + names.sorted().prefix(20).joined(separator: ", "),
            detail: .object(["entity": .string(name), "entities": .strings(names.sorted())]))
    }

    static func property(named name: String, of entity: EntityDescription) throws -> PropertyDescription {
        if let property = entity.property(named: name) { return property }
        throw unknownKey(name, of: entity)
    }

    static func unknownKey(_ name: String, of entity: EntityDescription) -> CommandError {
        let names = entity.properties.map(\.name)
        return CommandError(
            .usage, "unknownKey", "\(entity.name) has no property \(name)",
            hint: Suggestion.sentence(for: name, among: names) ?? "it has "
                + names.sorted().prefix(20).joined(separator: ", "),
            detail: .object(["entity": .string(entity.name), "key": .string(name), "keys": .strings(names.sorted())]))
    }

    /// The property at the end of a key path, whose other components are relationships.
    static func property(atKeyPath keyPath: String, of entity: EntityDescription, in model: ManagedObjectModel) throws
        -> PropertyDescription
    {
        let start = entity
        var entity = entity, toManySteps = 0
        let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for key in keys.dropLast() {
            let property = try property(named: key, of: entity)
            guard let relationship = property.relationship, let destination = model.destination(of: relationship) else {
                throw CommandError.usage("\(keyPath): \(key) is no relationship of \(entity.name)")
            }
            if relationship.isToMany { toManySteps += 1 }
            entity = destination
        }
        let last = try property(named: keys.last ?? "", of: entity)
        try QueryPath.check(toManySteps: toManySteps + (last.isToMany ? 1 : 0), entity: start, key: keys.first)
        return last
    }
}
