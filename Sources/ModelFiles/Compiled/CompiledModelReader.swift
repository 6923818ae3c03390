internal import Coding
internal import Foundation
internal import Schema

/// Reads archived models. Only objects of the classes of models are interpreted.
struct CompiledModelReader {
    var faults: [ModelError.Fault] = []
    /// What is passed over.
    var warnings: [ModelError.Fault] = []

    static func read(_ data: Data, path: String?) throws(ModelError) -> ManagedObjectModel {
        var reader = CompiledModelReader()
        let description: ManagedObjectModel.Definition
        do {
            let root = try KeyedArchive(data).root()
            guard root.isKind(of: "NSManagedObjectModel") else {
                throw CodingError(
                    .wrongType, "the archive holds \(root.className ?? "a value"), not NSManagedObjectModel")
            }
            description = try reader.description(root)
        } catch {
            throw ModelError(.unreadable, "The model can't be read: \(error)", path: path)
        }
        return try ManagedObjectModel(description, faults: reader.faults, warnings: reader.warnings, path: path)
    }

    mutating func report(_ message: String, _ entity: String? = nil, _ property: String? = nil) {
        faults.append(ModelError.Fault(entity: entity, property: property, message: message))
    }

    mutating func warn(_ message: String, _ entity: String? = nil, _ property: String? = nil) {
        warnings.append(ModelError.Fault(entity: entity, property: property, message: message))
    }

    private mutating func description(_ root: ArchivedObject) throws -> ManagedObjectModel.Definition {
        var description = ManagedObjectModel.Definition()
        for (_, object) in try root.required("NSEntities").namedEntries() ?? [] {
            if let object { description.entities.append(try entity(object)) }
        }
        Self.dropInherited(&description.entities)
        description.versionIdentifiers =
            try root.object("NSVersionIdentifiers")?.elements()?.compactMap { $0?.string } ?? []
        for (name, members) in try root.object("NSConfigurations")?.namedEntries() ?? [] {
            var names: [String] = []
            for member in try members?.elements() ?? [] {
                if let entity = try member?.string("NSEntityName") { names.append(entity) }
            }
            description.configurations[name] = names
        }
        for (name, request) in try root.object("NSFetchRequestTemplates")?.namedEntries() ?? [] {
            if let request { description.fetchRequestTemplates.append(try fetchRequest(request, name: name)) }
        }
        try readComposites(of: root, into: &description)
        return description
    }

    private mutating func entity(_ object: ArchivedObject) throws -> EntityDefinition {
        let name = try object.string("NSEntityName") ?? ""
        var entity = EntityDefinition(name)
        let className = try object.string("NSClassNameForEntity")
        entity.managedObjectClassName = className == "NSManagedObject" || className == "" ? nil : className
        entity.superentityName = try object.object("NSSuperentity")?.string("NSEntityName")
        entity.isAbstract = try object.boolean("NSIsAbstract")
        let identifier = try object.string("NSRenamingIdentifier")
        entity.renamingIdentifier = identifier == name || identifier == "" ? nil : identifier
        entity.versionHashModifier = try object.string("NSVersionHashModifier")
        entity.userInfo = try Self.userInfo(object)
        for (key, property) in try object.object("NSProperties")?.namedEntries() ?? [] {
            guard let property else { continue }
            if property.isKind(of: "NSAttributeDescription") {
                entity.attributes.append(try attribute(property, of: name))
            } else if property.isKind(of: "NSRelationshipDescription") {
                entity.relationships.append(try relationship(property))
            } else if property.isKind(of: "NSFetchedPropertyDescription") {
                entity.fetchedProperties.append(try fetchedProperty(property))
            } else if property.className != "_NSPropertyDescriptionProxy" {
                // A proxy represents an inherited property, which the declaring entity lists.
                warn("a property of the unknown kind “\(property.className ?? "nil")”", name, key)
            }
        }
        entity.uniquenessConstraints = try Self.nameLists(object, "NSUniqueTuples")
        entity.compoundIndexes = try Self.nameLists(object, "NSCompoundIndexes")
        for index in try object.object("NSFetchIndexDescriptions")?.elements() ?? [] {
            if let index, try index.object("NSEntity").map({ $0 == object }) ?? true {
                entity.indexes.append(try fetchIndex(index))
            }
        }
        return entity
    }

    /// Removes inherited properties from sub-entities: newer archives list copies of them.
    private static func dropInherited(_ entities: inout [EntityDefinition]) {
        let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for index in entities.indices {
            var inherited: Set<String> = []
            var seen: Set<String> = [entities[index].name]
            var next = entities[index].superentityName
            while let name = next, let parent = byName[name], seen.insert(name).inserted {
                inherited.formUnion(
                    parent.attributes.map(\.name) + parent.relationships.map(\.name)
                        + parent.fetchedProperties.map(\.name))
                next = parent.superentityName
            }
            guard !inherited.isEmpty else { continue }
            entities[index].attributes.removeAll { inherited.contains($0.name) }
            entities[index].relationships.removeAll { inherited.contains($0.name) }
            entities[index].fetchedProperties.removeAll { inherited.contains($0.name) }
        }
    }

    static func userInfo(_ object: ArchivedObject) throws -> [String: String] {
        var result: [String: String] = [:]
        for (key, value) in try object.object("NSUserInfo")?.namedEntries() ?? [] {
            switch value?.number {
            case .integer(let number): result[key] = "\(number)"
            case .real(let number): result[key] = "\(number)"
            case .boolean(let flag): result[key] = flag ? "YES" : "NO"
            default: result[key] = value?.string ?? ""
            }
        }
        return result
    }

    /// Reads lists of lists of names. An element can also be a property, which has a name.
    private static func nameLists(_ object: ArchivedObject, _ key: String) throws -> [[String]] {
        var result: [[String]] = []
        for list in try object.object(key)?.elements() ?? [] {
            var names: [String] = []
            for element in try list?.elements() ?? [] {
                if let element, let name = try element.string ?? element.string("NSPropertyName") { names.append(name) }
            }
            result.append(names)
        }
        return result
    }

    private mutating func readComposites(
        of root: ArchivedObject, into description: inout ManagedObjectModel.Definition
    ) throws {
        for (name, list) in try root.object(ArchiveKeys.composites)?.namedEntries() ?? [] {
            var composite = CompositeDescription(name, attributes: [])
            for element in try list?.elements() ?? [] {
                if let element { composite.attributes.append(try attribute(element, of: name)) }
            }
            description.composites.append(composite)
        }
        // Archives by Core Data contain the elements in the attribute, without a name for the
        // composite. Such a composite is named after the attribute.
        for (name, elements) in foundComposites where !description.composites.contains(where: { $0.name == name }) {
            description.composites.append(CompositeDescription(name, attributes: elements))
        }
    }

    /// The composites that were found inside attributes.
    var foundComposites: [(name: String, attributes: [AttributeDescription])] = []
}
