import Schema

extension NSEntityDescription {
    /// What Folio's model gets.
    ///
    /// - Throws: `QueryError` for a predicate of a closure, which no model can keep.
    func compiled() throws -> EntityDefinition {
        var entity = content.entity
        entity.superentityName = superentity?.name
        (entity.attributes, entity.relationships, entity.fetchedProperties) = ([], [], [])
        for property in content.properties {
            switch property {
            case let property as NSAttributeDescription: entity.attributes.append(property.compiled(in: self))
            case let property as NSRelationshipDescription: entity.relationships.append(property.named)
            case let property as NSFetchedPropertyDescription: entity.fetchedProperties.append(try property.named())
            default: preconditionFailure("\(type(of: property)) is no property of an entity")
            }
        }
        if let constraints = content.constraints {
            entity.uniquenessConstraints = constraints.map { $0.map(Self.propertyName) }
        }
        entity.indexes = try content.indexes.map { try $0.compiled() }
        return entity
    }
}

extension NSAttributeDescription {
    /// What Folio's model gets; a group gets a name.
    func compiled(in entity: NSEntityDescription) -> AttributeDescription {
        var attribute = declared
        // Callers set numbers of any type.
        if attribute.type != .binary {
            attribute.defaultValue = attribute.defaultValue.map { $0.converted(to: attribute) ?? $0 }
        }
        if attribute.type.isNumeric {
            attribute.minimumValue = attribute.minimumValue.map { $0.converted(to: attribute) ?? $0 }
            attribute.maximumValue = attribute.maximumValue.map { $0.converted(to: attribute) ?? $0 }
        }
        if self is NSCompositeAttributeDescription, attribute.compositeName == nil {
            attribute.compositeName = "\(entity.name ?? "")_\(attribute.name)"
        }
        return attribute
    }
}
