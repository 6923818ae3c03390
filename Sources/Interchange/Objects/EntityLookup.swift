import Coding
package import Folio

/// Looks up entities and properties by the names that users type.
package enum EntityLookup {
    package static func entity(named name: String, in model: ManagedObjectModel) throws -> EntityDescription {
        if let entity = model.entity(named: name) { return entity }
        let names = model.entities.map(\.name)
        throw InterchangeError(
            .usage, "unknownEntity", "there is no entity \(name)",
            hint: Suggestion.sentence(for: name, among: names) ?? "the model has "
                + names.sorted().prefix(20).joined(separator: ", "),
            detail: .object(["entity": .string(name), "entities": .strings(names.sorted())]))
    }

    package static func property(named name: String, of entity: EntityDescription) throws -> PropertyDescription {
        if let property = entity.property(named: name) { return property }
        throw unknownKey(name, of: entity)
    }

    package static func unknownKey(_ name: String, of entity: EntityDescription) -> InterchangeError {
        let names = entity.properties.map(\.name)
        return InterchangeError(
            .usage, "unknownKey", "\(entity.name) has no property \(name)",
            hint: Suggestion.sentence(for: name, among: names) ?? "it has "
                + names.sorted().prefix(20).joined(separator: ", "),
            detail: .object(["entity": .string(entity.name), "key": .string(name), "keys": .strings(names.sorted())]))
    }

    /// The attribute at the end of a key path, whose other components are relationships and, at the
    /// end, the names of composites; nil if a relationship is at the end.
    package static func attribute(atKeyPath keyPath: String, of entity: EntityDescription, in model: ManagedObjectModel)
        throws
        -> AttributeDescription?
    {
        let start = entity
        var entity = entity, toManySteps = 0
        let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (index, key) in keys.dropLast().enumerated() {
            let property = try property(named: key, of: entity)
            if let attribute = property.attribute, model.composite(of: attribute) != nil {
                try QueryPath.check(toManySteps: toManySteps, entity: start, key: keys.first)
                return try part(keys[(index + 1)...], of: attribute, in: model)
            }
            guard let relationship = property.relationship, let destination = model.destination(of: relationship) else {
                throw InterchangeError.usage("\(keyPath): \(key) is no relationship of \(entity.name)")
            }
            if relationship.isToMany {
                toManySteps += 1
                try checkAggregate(keys, at: index + 1, of: destination)
            }
            entity = destination
        }
        let last = try property(named: keys.last ?? "", of: entity)
        try QueryPath.check(toManySteps: toManySteps + (last.isToMany ? 1 : 0), entity: start, key: keys.first)
        return last.attribute
    }

    /// Throws for an aggregate of a to-many relationship without its `@`, such as `stops.count`.
    private static func checkAggregate(_ keys: [String], at index: Int, of entity: EntityDescription) throws {
        let key = keys[index]
        guard ["count", "sum", "avg", "min", "max"].contains(key), entity.property(named: key) == nil else { return }
        var written = keys
        written[index] = "@" + key
        throw InterchangeError(
            .usage, "unknownKey", "\(entity.name) has no property \(key)",
            hint: "did you mean \(written.joined(separator: "."))?",
            detail: .object(["entity": .string(entity.name), "key": .string(key)]))
    }

    /// The part of a composite attribute at the end of a path.
    private static func part(
        _ path: ArraySlice<String>, of attribute: AttributeDescription, in model: ManagedObjectModel
    )
        throws -> AttributeDescription
    {
        guard let name = path.first else { return attribute }
        let parts = model.composite(of: attribute)?.attributes ?? []
        guard let part = parts.first(where: { $0.name == name }) else {
            let names = parts.map(\.name)
            throw InterchangeError(
                .usage, "unknownKey", "\(attribute.name) has no part \(name)",
                hint: Suggestion.sentence(for: name, among: names)
                    ?? (names.isEmpty ? nil : "it has " + names.joined(separator: ", ")),
                detail: .object(["key": .string(name), "keys": .strings(names.sorted())]))
        }
        return try self.part(path.dropFirst(), of: part, in: model)
    }
}
