public import Schema

/// Creates entity descriptions from classes.
struct SchemaBuilder {
    private(set) var entities: [_SchemaEntity] = []
    private(set) var faults: [ModelError.Fault] = []
    private var seen: Set<ObjectIdentifier> = []

    /// Adds the entities of classes, of their superclasses and of all destinations of their
    /// relationships.
    mutating func collect(_ classes: [ManagedObject.Type]) {
        var pending = classes
        while let next = pending.popLast() {
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            guard let entity = _SchemaEntity.declared(by: next) else {
                faults.append(
                    ModelError.Fault(entity: "\(next)", message: "the class declares no entity: write @Model before it")
                )
                continue
            }
            entities.append(entity)
            if entity.superclass != ManagedObject.self { pending.append(entity.superclass) }
            for case .relationship(_, let destination, _) in entity.properties.map(\.content) {
                pending.append(destination)
            }
        }
        entities.sort { $0.name < $1.name }
    }

    mutating func entityDescriptions() -> [EntityDefinition] {
        let inverses = self.inverses()
        return entities.map { entity in
            var description = EntityDefinition(
                entity.name, managedObjectClassName: entity.name,
                superentityName: _SchemaEntity.declared(by: entity.superclass)?.name,
                renamingIdentifier: entity.originalName)
            description.uniquenessConstraints = entity.uniquenessConstraints
            for property in entity.properties {
                switch property.content {
                case .attribute(let attribute):
                    description.attributes.append(attribute)
                    if property.isUnique { description.uniquenessConstraints.append([attribute.name]) }
                case .relationship(var relationship, let destination, _):
                    relationship.destinationEntityName =
                        _SchemaEntity.declared(by: destination)?.name ?? "\(destination)"
                    relationship.inverseName = inverses[End(entity: entity.name, property: property.name)]?.property
                    description.relationships.append(relationship)
                }
            }
            description.indexes = entity.indexes.map { names in
                FetchIndexDescription(
                    "by" + names.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(),
                    elements: names.map { .init(propertyName: $0) })
            }
            return description
        }
    }

    // MARK: Inverses

    private struct End: Hashable {
        let entity: String
        let property: String
    }

    /// Both directions of each pair of inverse relationships: first those that one side names, then
    /// those that are unambiguous.
    private mutating func inverses() -> [End: End] {
        var ends: [(end: End, destination: String, inverse: AnyKeyPath?)] = []
        for entity in entities {
            for property in entity.properties {
                guard case .relationship(_, let destination, let inverse) = property.content else { continue }
                ends.append(
                    (
                        End(entity: entity.name, property: property.name),
                        _SchemaEntity.declared(by: destination)?.name ?? "\(destination)", inverse
                    ))
            }
        }
        var pairs: [End: End] = [:]
        for (end, destination, inverse) in ends {
            guard let inverse else { continue }
            guard let other = owner(of: inverse) else {
                faults.append(
                    ModelError.Fault(
                        entity: end.entity, property: end.property,
                        message: "its inverse is no property that \(destination) declares"))
                continue
            }
            pairs[end] = other
            pairs[other] = pairs[other] ?? end
        }
        for (end, destination, _) in ends where pairs[end] == nil {
            let back = ends.filter {
                $0.end.entity == destination && $0.destination == end.entity && pairs[$0.end] == nil && $0.end != end
            }
            let forth = ends.filter {
                $0.end.entity == end.entity && $0.destination == destination && pairs[$0.end] == nil
            }
            guard back.count == 1, forth.count == 1, end.entity != destination else { continue }
            pairs[end] = back[0].end
            pairs[back[0].end] = end
        }
        return pairs
    }

    private func owner(of keyPath: AnyKeyPath) -> End? {
        for entity in entities {
            // The key path may have a subclass as its root.
            for heir in entities where heir.inherits(from: entity.objectClass) {
                if let name = entity.keyPaths(heir.objectClass)[keyPath] {
                    return End(entity: entity.name, property: name)
                }
            }
        }
        return nil
    }
}

extension _SchemaEntity {
    /// Whether the class is `other` or inherits from it.
    fileprivate func inherits(from other: ManagedObject.Type) -> Bool {
        var next: ManagedObject.Type? = objectClass
        while let current = next {
            if current == other { return true }
            next = _SchemaEntity.declared(by: current)?.superclass
        }
        return false
    }
}

extension ManagedObjectModel {
    /// Creates a model from classes that declare their entities, such as classes with `@Model`.
    /// Superclasses and destinations of relationships are included.
    ///
    /// ```swift
    /// let model = try ManagedObjectModel(schema: [Book.self, Author.self], versionIdentifier: "1")
    /// ```
    /// A relationship that does not name its inverse is paired with the relationship that names it
    /// as its inverse, or else with the only relationship back to its entity.
    ///
    /// - Throws: ``ModelError`` with code `invalid` and all errors.
    public convenience init(schema classes: [ManagedObject.Type], versionIdentifier: String? = nil) throws(ModelError) {
        var builder = SchemaBuilder()
        builder.collect(classes)
        var description = Definition()
        description.entities = builder.entityDescriptions()
        if let versionIdentifier { description.versionIdentifiers = [versionIdentifier] }
        guard builder.faults.isEmpty else {
            throw ModelError(.invalid, "The classes make no model", faults: builder.faults)
        }
        try self.init(description)
    }
}

extension ManagedObject {
    /// The classes and all related classes by their names in the model, as containers and documents
    /// take them.
    public static func classesByName(_ classes: [ManagedObject.Type]) -> [String: ManagedObject.Type] {
        var builder = SchemaBuilder()
        builder.collect(classes)
        return Dictionary(builder.entities.map { ($0.name, $0.objectClass) }, uniquingKeysWith: { first, _ in first })
    }
}
