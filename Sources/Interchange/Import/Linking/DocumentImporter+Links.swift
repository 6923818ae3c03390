import Coding
import Folio

/// The target of a link in a record.
enum LinkTarget {
    case object(ManagedObject)
    /// The object does not exist yet. A record that has not been read may create it.
    case unknown
}

extension DocumentImporter {
    /// Links the objects of a piece.
    /// - Parameter isComplete: Whether all records have been read, so that unknown targets are
    ///   errors.
    /// - Returns: The indexes of entries with links that must wait.
    mutating func link(_ piece: inout ImportPiece, isComplete: Bool) throws -> [Int] {
        try loadNamedObjects(of: piece)
        var waiting: [Int] = []
        for index in piece.entries.indices {
            let entry = piece.entries[index]
            guard entry.record.columns.hasLinks, let object = entry.object else { continue }
            try Task.checkCancellation()
            var isWaiting = false
            for (place, property) in entry.record.columns.links {
                try placing(entry, column: place) { importer in
                    let names = try Self.names(entry.record.values[place], property.name)
                    let targets = try names.map { try importer.target($0, property, isComplete) }
                    try importer.set(targets, property, object, index, &piece, &isWaiting)
                }
            }
            for link in entry.record.columns.naturalLinks {
                try placing(entry, column: link.places[0]) { importer in
                    let keys = try importer.keys(link, entry.record)
                    guard isComplete || importer.isComplete(link.key.entity) else {
                        isWaiting = isWaiting || !keys.isEmpty
                        return
                    }
                    let targets = try keys.map { try importer.target($0, link, index, &piece) }
                    try importer.set(targets.map { .object($0) }, link.property, object, index, &piece, &isWaiting)
                }
            }
            if isWaiting { waiting.append(index) }
        }
        return waiting
    }

    private mutating func set(
        _ targets: [LinkTarget], _ property: PropertyDescription, _ object: ManagedObject, _ index: Int,
        _ piece: inout ImportPiece, _ isWaiting: inout Bool
    ) throws {
        let entry = piece.entries[index]
        var objects: [ManagedObject] = []
        for target in targets {
            if case .object(let object) = target { objects.append(object) } else { isWaiting = true }
        }
        guard property.isToMany else {
            guard targets.count <= 1 else {
                throw InterchangeError.malformed("\(property.name) is to-one, but several objects stand there")
            }
            guard let target = objects.first else {
                // For a new object an empty value does not remove links that other records have set
                // from the other end.
                guard entry.isMatched, targets.isEmpty, try !object.propertyValue(forKey: property.name).isNull,
                    !isFormer(.null, entry, object, property)
                else { return }
                try noteFormerLinks(of: object, property, to: [])
                piece.entries[index].isChanged = true
                return try object.setPropertyValue(.null, forKey: property.name)
            }
            if entry.isNamed {
                // What the record says as it was before the import is no edit.
                let wanted = PropertyValue.object(target.objectID)
                if isFormer(wanted, entry, object, property) { return }
                if try object.propertyValue(forKey: property.name) == wanted { return }
            }
            noteClaim(of: entry, object, property, target)
            guard try object.propertyValue(forKey: property.name) != .object(target.objectID) else { return }
            try checkClaims(of: entry, object, property, target, piece)
            try noteFormerLinks(of: object, property, to: [target.objectID])
            piece.entries[index].isChanged = true
            return try object.setPropertyValue(.object(target.objectID), forKey: property.name)
        }
        guard case .list(let linked) = try object.propertyValue(forKey: property.name) else { return }
        let wanted = objects.map { PropertyValue.object($0.objectID) }, isWanted = Set(wanted)
        // Links of new objects that were set from the other end are kept: if the two ends differ,
        // neither removes links.
        let keeps = !entry.isMatched || isWaiting
        var members = wanted + (keeps ? linked.filter { !isWanted.contains($0) } : [])
        if case .list(let former) = formerLinks(entry, object, property) {
            members = Self.members(wanted, linked, former)
        }
        guard
            members.count != linked.count || Set(members) != Set(linked)
                || property.relationship?.isOrdered == true && members != linked
        else { return }
        try noteFormerLinks(of: object, property, to: members.compactMap(\.objectID))
        piece.entries[index].isChanged = true
        try object.setPropertyValue(.list(members), forKey: property.name)
    }

    // MARK: Objects by name

    private static func names(_ value: ImportRecord.Value, _ key: String) throws -> [String] {
        func name(_ json: JSONValue) throws -> String {
            guard let name = json.string else {
                throw InterchangeError.malformed("\(key): expected the name of an object, found \(json.kind)")
            }
            return name
        }
        switch value {
        case .text(let text): return text.map { $0.split { $0 == "," || $0 == " " }.map(String.init) } ?? []
        case .json(.null): return []
        case .json(.array(let elements)): return try elements.map(name)
        case .json(let json): return [try name(json)]
        }
    }

    /// Fetches the stored objects that a piece refers to by name, with one request per hierarchy.
    /// They are retained until the piece is written.
    private mutating func loadNamedObjects(of piece: ImportPiece) throws {
        var ids: Set<ManagedObjectID> = []
        for entry in piece.entries {
            for (place, property) in entry.record.columns.links {
                for name in (try? Self.names(entry.record.values[place], property.name)) ?? [] {
                    if let id = id(name), context.registeredObject(for: id) == nil { ids.insert(id) }
                }
            }
        }
        held = try objects(with: ids)
    }

    /// The ID of a stored object with a name; nil for other names.
    private func id(_ name: String) -> ManagedObjectID? {
        if let own = ownID(uri: name) { return own }
        if let (entityName, number) = ImportRecord.name(name), let entity = store.model.entity(named: entityName),
            let target = names[entity.index, number]
        {
            guard case .key(let key) = target else { return nil }
            return ManagedObjectID(store: store, entityIndex: entity.index, key: key)
        }
        return try? ObjectName.id(name, in: store)
    }

    /// The stored objects with some IDs.
    func objects(with ids: Set<ManagedObjectID>) throws -> [ManagedObject] {
        try Dictionary(grouping: ids) { $0.entity.rootIndex }.sorted { $0.key < $1.key }.flatMap { root, ids in
            var request = FetchRequest<ManagedObject>(entityName: store.model.entities[root].name)
            request.predicate = .comparison(
                ComparisonPredicate(.evaluatedObject, .in, .constant(.list(ids.map { .object($0) }))))
            request.includesPendingChanges = false
            request.returnsObjectsAsFaults = false
            return try context.fetch(request)
        }
    }

    /// The object with a name in the files, otherwise in the document.
    private func target(_ name: String, _ property: PropertyDescription, _ isComplete: Bool) throws -> LinkTarget {
        if ownID(uri: name) == nil, let (entityName, number) = ImportRecord.name(name),
            let entity = store.model.entity(named: entityName)
        {
            switch names[entity.index, number] {
            case .object(let object): return .object(object)
            case .key(let key):
                return .object(
                    try context.existingObject(with: ManagedObjectID(store: store, entityIndex: entity.index, key: key))
                )
            case nil: if !isComplete, namesObjects { return .unknown }
            }
        }
        if let id = try? ObjectName.id(name, in: store) {
            do { return .object(try context.existingObject(with: id)) } catch let error as GraphError
                where error.code == .objectNotFound
            {}
        }
        throw InterchangeError.malformed("\(property.name): \(name) is neither in the file nor in the document")
    }

    // MARK: Objects by natural key

    /// The natural keys of a relationship in a record: at most one for a to-one relationship, any
    /// number for a to-many relationship.
    private func keys(_ link: ImportColumns.NaturalLink, _ record: ImportRecord) throws -> [NaturalKey.Values] {
        let columns = try zip(link.places, link.key.attributes).map { place, attribute in
            try parts(record.values[place], isToMany: link.property.isToMany).map { part in
                do { return try values.value(part, for: attribute) } catch { throw ImportFailure.malformed(error, nil) }
            }
        }
        let count = columns.map(\.count).max() ?? 0
        guard columns.allSatisfy({ $0.count == count }) else {
            throw InterchangeError.malformed("\(link.property.name): the columns name different numbers of objects")
        }
        let keys = (0..<count).map { index in NaturalKey.Values(columns.map { $0[index] }) }
        // If all values are nil, there is no object.
        return keys.filter { !$0.list.allSatisfy(\.isNull) }
    }

    /// The parts of a cell for a to-many relationship. In text they are separated by commas,
    /// because values may contain spaces.
    private func parts(_ value: ImportRecord.Value, isToMany: Bool) -> [ImportRecord.Value] {
        switch value {
        case .text(let text) where isToMany:
            return (text ?? "").split(separator: ",").map { part in
                .text(String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()))
            }
        case .json(.array(let elements)) where isToMany: return elements.map { .json($0) }
        case .json(.null) where isToMany: return []
        default: return [value]
        }
    }

    private mutating func target(
        _ values: NaturalKey.Values, _ link: ImportColumns.NaturalLink, _ index: Int, _ piece: inout ImportPiece
    ) throws -> ManagedObject {
        let entries = piece.entries
        let lookup = try piece.lookup(
            link.key, { try self.wanted(link.key, entries) }, in: context, seesUnsaved: !takesPieces)
        let found = try lookup.objects(with: values)
        if found.count == 1 { return found[0] }
        let name = link.key.text(values)
        if found.count > 1 {
            throw InterchangeError.malformed(
                "\(link.property.name): \(found.count) objects of \(link.key.entity.name) have \(name)")
        }
        guard settings.createsMissing else {
            throw InterchangeError.malformed(
                "\(link.property.name): there is no \(link.key.entity.name) with \(name)",
                hint: "say --create-missing to make it")
        }
        let object = try context.insert(link.key.entity)
        for (attribute, value) in zip(link.key.attributes, values.list) {
            try object.setPropertyValue(value, forKey: attribute.name)
        }
        outcome.created += 1
        keepsNumbers[link.key.entity.rootIndex] = false
        try piece.add(object, of: index)
        return object
    }

    /// All natural keys in the records of a piece.
    private func wanted(_ key: NaturalKey, _ entries: [ImportPiece.Entry]) throws -> Set<NaturalKey.Values> {
        var wanted: Set<NaturalKey.Values> = []
        for entry in entries {
            for link in entry.record.columns.naturalLinks where link.key == key {
                // Errors of reading a value are reported when its record is linked.
                for values in (try? keys(link, entry.record)) ?? [] where !values.list.contains(where: \.isNull) {
                    wanted.insert(values)
                }
            }
        }
        return wanted
    }
}
