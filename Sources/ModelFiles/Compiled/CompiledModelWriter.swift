internal import Coding
internal import Foundation
internal import Schema

/// Archives models under Core Data's keys (CoreDataFiles, Compiled models).
///
/// Entities and properties refer to each other in circles: all of them get their place first and
/// are filled then.
struct CompiledModelWriter {
    let model: ManagedObjectModel
    let form: CompiledModel.Form
    var writer = KeyedArchiveWriter()
    private let root: KeyedArchiveWriter.Reference
    private(set) var places: [KeyedArchiveWriter.Reference] = []
    /// The places of each entity's listed properties by name, copies of inherited ones included
    /// where the form asks for them.
    private(set) var propertyPlaces: [[String: KeyedArchiveWriter.Reference]] = []
    private var emptyUserInfo: KeyedArchiveWriter.Reference?

    static func write(_ model: ManagedObjectModel, form: CompiledModel.Form) throws(ModelError) -> Data {
        var writer = CompiledModelWriter(model, form)
        return writer.write()
    }

    private init(_ model: ManagedObjectModel, _ form: CompiledModel.Form) {
        self.model = model
        self.form = form
        root = writer.reserve()
        for entity in model.entities {
            places.append(writer.reserve())
            var properties: [String: KeyedArchiveWriter.Reference] = [:]
            for name in Self.listed(entity, form) { properties[name] = writer.reserve() }
            propertyPlaces.append(properties)
        }
    }

    /// The names of the properties that the entity lists, in order.
    private static func listed(_ entity: Entity, _ form: CompiledModel.Form) -> [String] {
        let properties =
            form == .storeCache
            ? entity.properties.map(\.name)
            : entity.description.attributes.map(\.name) + entity.description.relationships.map(\.name)
        let fetched = form == .storeCache ? entity.fetchedProperties : entity.description.fetchedProperties
        return properties + fetched.map(\.name)
    }

    func place(ofEntity name: String) -> KeyedArchiveWriter.Reference {
        model.entity(named: name).map { places[$0.index] } ?? .null
    }

    // MARK: Model

    private mutating func write() -> Data {
        for entity in model.entities { write(entity) }
        let description = model.description
        var fields: [String: PropertyListValue] = [
            "NSEntities": entities().value,
            "NSVersionIdentifiers": writer.add(set: description.versionIdentifiers.map { writer.add(string: $0) })
                .value,
            "NSFetchRequestTemplates": templates().value,
        ]
        if !description.configurations.isEmpty {
            let pairs = description.configurations.sorted { $0.key < $1.key }.map { name, members in
                let entities = members.map { place(ofEntity: $0) }
                return (key: writer.add(string: name), value: writer.add(set: entities))
            }
            fields["NSConfigurations"] = writer.add(dictionary: pairs, isMutable: true).value
        }
        if !description.composites.isEmpty {
            let pairs = description.composites.map { composite in
                (key: writer.add(string: composite.name), value: elements(of: composite, depth: 0))
            }
            fields[ArchiveKeys.composites] = writer.add(dictionary: pairs).value
        }
        writer.fill(root, class: ArchiveKeys.model, fields: fields)
        return writer.finish(root: root)
    }

    private mutating func entities() -> KeyedArchiveWriter.Reference {
        let order = model.entities.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
        let names = order.map { writer.add(string: $0.name) }
        let values = order.map { places[$0.index] }
        guard form == .storeCache else {
            return writer.add(dictionary: zip(names, values).map { (key: $0, value: $1) }, isMutable: true)
        }
        let keys = writer.add(array: names)
        let mapping = writer.add(
            class: ArchiveKeys.knownKeysMapping,
            fields: ["keys": keys.value, "length": .integer(Int64(names.count)), "version": 1])
        return writer.add(
            class: ArchiveKeys.knownKeysDictionary,
            fields: [
                "searchMapping": mapping.value, "values": writer.add(array: values).value, "version": 1,
                // Marks a key without a value, which no model has; any string that is no entity
                // will do.
                "emptyToken": writer.add(string: "__empty_slot_token__").value,
            ])
    }

    private mutating func templates() -> KeyedArchiveWriter.Reference {
        guard !model.description.fetchRequestTemplates.isEmpty else { return .null }
        let pairs = model.description.fetchRequestTemplates.map {
            (key: writer.add(string: $0.name), value: fetchRequest($0))
        }
        return writer.add(dictionary: pairs, isMutable: true)
    }

    // MARK: Entities

    private mutating func write(_ entity: Entity) {
        let description = entity.description
        var fields: [String: PropertyListValue] = [
            "NSEntityName": writer.add(string: entity.name).value,
            "NSClassNameForEntity": writer.add(string: description.managedObjectClassName ?? "NSManagedObject").value,
            "NSManagedObjectModel": root.value,
            "NSSuperentity": (entity.superentity.map { places[$0.index] } ?? .null).value,
            "NSVersionHashModifier": writer.add(string: description.versionHashModifier).value,
            "NSRenamingIdentifier": writer.add(string: description.renamingIdentifier ?? entity.name).value,
            "NSUserInfo": userInfo(description.userInfo).value,
        ]
        if entity.isAbstract { fields["NSIsAbstract"] = true }
        let children = model.subentities(of: entity).map { (key: writer.add(string: $0.name), value: places[$0.index]) }
        fields["NSSubentities"] = writer.add(dictionary: children, isMutable: true).value
        let listed = Self.listed(entity, form)
        let properties = listed.compactMap { name in
            propertyPlaces[entity.index][name].map { (key: writer.add(string: name), value: $0) }
        }
        fields["NSProperties"] = writer.add(dictionary: properties, isMutable: true).value
        if !description.uniquenessConstraints.isEmpty {
            fields["NSUniqueTuples"] = lists(description.uniquenessConstraints).value
        }
        if !description.compoundIndexes.isEmpty {
            fields["NSCompoundIndexes"] = lists(description.compoundIndexes).value
        }
        if !description.indexes.isEmpty {
            fields["NSFetchIndexDescriptions"] =
                writer.add(array: description.indexes.map { fetchIndex($0, of: entity) }, isMutable: true).value
        }
        writer.fill(places[entity.index], class: ArchiveKeys.entity, fields: fields)
        for property in entity.properties {
            guard let place = propertyPlaces[entity.index][property.name] else { continue }
            switch property.kind {
            case .attribute(let attribute): fill(place, attribute, owner: places[entity.index])
            case .relationship(let relationship): fill(place, relationship, of: entity)
            }
        }
        for property in entity.fetchedProperties {
            if let place = propertyPlaces[entity.index][property.name] { fill(place, property, of: entity) }
        }
    }

    mutating func userInfo(_ entries: [String: String]) -> KeyedArchiveWriter.Reference {
        if entries.isEmpty, let emptyUserInfo { return emptyUserInfo }
        let pairs = entries.sorted { $0.key < $1.key }.map {
            (key: writer.add(string: $0.key), value: writer.add(string: $0.value))
        }
        let reference = writer.add(dictionary: pairs)
        if entries.isEmpty { emptyUserInfo = reference }
        return reference
    }

    private mutating func lists(_ lists: [[String]]) -> KeyedArchiveWriter.Reference {
        writer.add(
            array: lists.map { names in writer.add(array: names.map { writer.add(string: $0) }, isMutable: true) },
            isMutable: true)
    }

    private mutating func fetchIndex(_ index: FetchIndexDescription, of entity: Entity) -> KeyedArchiveWriter.Reference
    {
        let place = writer.reserve()
        let elements = index.elements.map { element in
            var fields: [String: PropertyListValue] = [
                "NSPropertyName": writer.add(string: element.propertyName).value,
                "NSFetchIndexDescription": place.value,
                "NSFetchIndexElementType": .integer(Int64(element.kind.rawValue)),
            ]
            if element.isAscending { fields["NSAscending"] = true }
            if let text = element.expression {
                fields[ArchiveKeys.expressionFormat] = writer.add(string: text).value
                fields["NSExpression"] = archive(expression: text).value
            }
            return writer.add(class: ArchiveKeys.fetchIndexElement, fields: fields)
        }
        var fields: [String: PropertyListValue] = [
            "NSIndexName": writer.add(string: index.name).value, "NSIndexElements": writer.add(array: elements).value,
            "NSEntity": places[entity.index].value,
            "NSPartialIndexPredicate": archive(predicate: index.partialIndexPredicate).value,
        ]
        if let text = index.partialIndexPredicate {
            fields[ArchiveKeys.predicateFormat] = writer.add(string: text).value
        }
        writer.fill(place, class: ArchiveKeys.fetchIndex, fields: fields)
        return place
    }

    mutating func fetchRequest(_ request: FetchRequestTemplate) -> KeyedArchiveWriter.Reference {
        typealias Flags = ArchiveKeys.FetchFlags
        var flags = Flags.pendingChanges
        if request.includesSubentities { flags |= Flags.subentities }
        if request.includesPropertyValues { flags |= Flags.propertyValues }
        if request.returnsObjectsAsFaults { flags |= Flags.faults }
        if request.returnsDistinctResults { flags |= Flags.distinct }
        var fields: [String: PropertyListValue] = [
            "NSEntity": place(ofEntity: request.entityName).value,
            "NSPredicate": archive(predicate: request.predicateFormat).value,
            "NSHasFetchRequestFlags": true, "NSFetchRequestFlags": .integer(flags),
            "NSResultType": .integer(Int64(request.resultType)),
            "NSFetchLimit": .integer(Int64(request.fetchLimit)), "NSFetchOffset": 0,
            "NSBatchSize": .integer(Int64(request.fetchBatchSize)),
            "NSAllocationType": 0,
        ]
        for key in [
            "NSSortDescriptors", "NSValuesToFetch", "NSValuesToGroupBy", "NSHavingPredicate",
            "NSRelationshipKeyPathsForPrefetching",
        ] {
            fields[key] = KeyedArchiveWriter.Reference.null.value
        }
        if let text = request.predicateFormat { fields[ArchiveKeys.predicateFormat] = writer.add(string: text).value }
        return writer.add(class: ArchiveKeys.fetchRequest, fields: fields)
    }
}
