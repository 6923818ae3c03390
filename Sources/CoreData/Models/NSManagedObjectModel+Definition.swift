import Query
import Schema

extension NSManagedObjectModel {
    // MARK: To Folio's model

    /// - Throws: `QueryError` for a predicate or a sort descriptor of a closure, which no model can
    ///   keep.
    func definition() throws -> ManagedObjectModel.Definition {
        var description = base
        description.entities = try ownEntities.map { try $0.compiled() }
        description.composites = base.composites.filter { composite in
            description.entities.contains { $0.attributes.contains { $0.compositeName == composite.name } }
        }
        for entity in ownEntities {
            for case let group as NSCompositeAttributeDescription in entity.content.properties {
                Self.add(group, of: entity, to: &description)
            }
        }
        description.configurations = configurationMembers.mapValues { $0.compactMap(\.name) }
        description.fetchRequestTemplates = try templates.sorted { $0.key < $1.key }.map {
            try $1.template(named: $0)
        }
        return description
    }

    private static func add(
        _ group: NSCompositeAttributeDescription, of entity: NSEntityDescription,
        to description: inout ManagedObjectModel.Definition
    ) {
        guard let name = group.compiled(in: entity).compositeName else { return }
        description.composites.removeAll { $0.name == name }
        description.composites.append(
            CompositeDescription(name, attributes: group.elements.map { $0.compiled(in: entity) }))
        for case let inner as NSCompositeAttributeDescription in group.elements {
            add(inner, of: entity, to: &description)
        }
    }

    // MARK: From Folio's model

    /// - Throws: `QueryError` for a text that can't be parsed.
    func fill(_ description: ManagedObjectModel.Definition) throws {
        for entity in description.entities {
            let own = NSEntityDescription()
            own.content.entity = entity
            own.content.properties =
                try entity.attributes.map { attribute -> NSPropertyDescription in
                    if let text = attribute.derivationExpression {
                        _ = try QueryExpression(format: text)
                        return NSDerivedAttributeDescription(attribute)
                    }
                    guard attribute.type == .composite else { return NSAttributeDescription(attribute) }
                    return Self.group(attribute, description)
                } + entity.relationships.map { NSRelationshipDescription($0) }
                + entity.fetchedProperties.map { try NSFetchedPropertyDescription($0) }
            for property in own.content.properties { property.owner = own }
            let properties = own.propertiesByName
            own.content.indexes = try entity.indexes.map { index in
                let made = NSFetchIndexDescription(
                    name: index.name,
                    elements: index.elements.map { element in
                        NSFetchIndexElementDescription(element, element.propertyName.flatMap { properties[$0] })
                    })
                made.entity = own
                made.partialIndexPredicate = try index.partialIndexPredicate.map {
                    FormatPredicate.make(try FetchPredicate(format: $0))
                }
                return made
            }
            ownEntities.append(own)
        }
        for template in description.fetchRequestTemplates {
            templates[template.name] = try NSFetchRequest(template)
        }
        connect(description)
    }

    /// Finds what the names in the entities lead to.
    func connect(_ description: ManagedObjectModel.Definition) {
        base = description
        let byName = entitiesByName
        for entity in ownEntities {
            guard let parent = entity.content.entity.superentityName.flatMap({ byName[$0] }) else { continue }
            entity.content.superentity = parent
            parent.content.subentities.append(entity)
        }
        for entity in ownEntities {
            for case let relationship as NSRelationshipDescription in entity.content.properties {
                relationship.resolve(byName)
            }
        }
        for entity in ownEntities {
            for case let property as NSFetchedPropertyDescription in entity.content.properties {
                property.fetchRequest?.lead(into: byName)
            }
        }
        for template in templates.values { template.lead(into: byName) }
        // Only now: describing is no editing.
        for entity in ownEntities { entity.content.model = self }
        configurationMembers = description.configurations.mapValues { $0.compactMap { byName[$0] } }
    }

    private static func group(_ attribute: AttributeDescription, _ description: ManagedObjectModel.Definition)
        -> NSPropertyDescription
    {
        let group = NSCompositeAttributeDescription(attribute)
        let composite = description.composites.first { $0.name == attribute.compositeName }
        group.elements = (composite?.attributes ?? []).compactMap { element in
            element.type == .composite
                ? Self.group(element, description) as? NSAttributeDescription : NSAttributeDescription(element)
        }
        return group
    }
}
