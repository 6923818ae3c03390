extension ManagedObjectModel.Definition {
    /// The same model with everything that has no order sorted by name, so that equal models are
    /// equal values regardless of their source.
    ///
    /// Constraints, indexes and the attributes of composites keep their declared order.
    package func ordered() -> Self {
        var copy = self
        copy.entities = Self.sorted(entities, \.name).map { entity in
            var entity = entity
            entity.attributes = Self.sorted(entity.attributes, \.name)
            entity.relationships = Self.sorted(entity.relationships, \.name)
            entity.fetchedProperties = Self.sorted(entity.fetchedProperties, \.name)
            return entity
        }
        copy.composites = Self.sorted(composites, \.name)
        copy.fetchRequestTemplates = Self.sorted(fetchRequestTemplates, \.name)
        copy.versionIdentifiers = Self.sorted(versionIdentifiers, \.self)
        copy.configurations = configurations.mapValues { Self.sorted($0, \.self) }
        return copy
    }

    private static func sorted<Element>(_ elements: [Element], _ name: (Element) -> String) -> [Element] {
        elements.sorted { name($0).utf16.lexicographicallyPrecedes(name($1).utf16) }
    }
}
