import CoreData

/// A service of books and authors: what a network would lead to.
final class Service {
    struct Row {
        var version: UInt64 = 1
        var values: [String: Any] = [:]
        /// The reference of a book's author.
        var author: String?
    }

    struct Failure: Error, Equatable {
        let what: String
    }

    var rows: [String: [String: Row]] = ["Author": [:], "Book": [:]]
    /// What was asked.
    var requests: [String] = []
    var valueReads: [String] = []
    var relationshipReads: [String] = []
    var saves: [String] = []
    var fetchRequests: [NSFetchRequest<any NSFetchRequestResult>] = []
    /// Whether a save changes the versions of the rows.
    var countsVersions = true
    /// Whether a to-one relationship is part of the values.
    var sendsAuthors = true
    var failure: String?
    var nextNumber = 100

    static func filled() -> Service {
        let service = Service()
        service.rows["Author"] = ["eliot": Row(values: ["name": "Eliot"]), "hardy": Row(values: ["name": "Hardy"])]
        for (id, title, year, author) in [
            ("1", "Middlemarch", 1871, "eliot"), ("2", "Romola", 1863, "eliot"), ("3", "Tess", 1891, "hardy"),
        ] {
            service.rows["Book"]?[id] = Row(values: ["title": title, "year": year, "isRead": false], author: author)
        }
        return service
    }
}

/// An incremental store over the service, as an application writes one.
final class ServiceStore: NSIncrementalStore, @unchecked Sendable {
    static let storeType = "ServiceStore"

    private var service = Service()

    override init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
        if let given = options?["service"] as? Service { service = given }
    }

    override var type: String { Self.storeType }

    override func loadMetadata() throws {
        if service.failure == "loadMetadata" { throw Service.Failure(what: "loadMetadata") }
        metadata = [
            NSStoreTypeKey: Self.storeType,
            NSStoreUUIDKey: Self.identifierForNewStore(at: url ?? URL(fileURLWithPath: "/")),
        ]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        if let failure = service.failure { throw Service.Failure(what: failure) }
        switch request.requestType {
        case .saveRequestType: return try save(request as? NSSaveChangesRequest)
        case .fetchRequestType:
            guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult>, let entity = fetch.entity else {
                throw Service.Failure(what: "request")
            }
            return try self.fetch(fetch, entity, context)
        default: throw Service.Failure(what: "kind")
        }
    }

    private func fetch(
        _ request: NSFetchRequest<any NSFetchRequestResult>, _ entity: NSEntityDescription,
        _ context: NSManagedObjectContext?
    ) throws -> Any {
        service.requests.append(entity.name ?? "")
        service.fetchRequests.append(request)
        var found = (service.rows[entity.name ?? ""] ?? [:]).filter { id, row in
            request.predicate?.evaluate(with: row.values) ?? true
        }.sorted { $0.key < $1.key }
        found.sort { left, right in
            for descriptor in request.sortDescriptors ?? [] {
                switch descriptor.compare(left.value.values, to: right.value.values) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return false
        }
        found = Array(found.dropFirst(request.fetchOffset).prefix(request.fetchLimit > 0 ? request.fetchLimit : .max))
        let ids = found.map { newObjectID(for: entity, referenceObject: $0.key) }
        switch request.resultType {
        case .countResultType: return [NSNumber(value: found.count)]
        case .managedObjectIDResultType: return ids
        case .dictionaryResultType:
            let names = (request.propertiesToFetch ?? []).compactMap { $0 as? String }
            return found.map { $0.value.values.filter { names.contains($0.key) } }
        default: return ids.compactMap { context?.object(with: $0) }
        }
    }

    override func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws
        -> NSIncrementalStoreNode
    {
        if service.failure == "values" { throw Service.Failure(what: "values") }
        let reference = referenceObject(for: objectID) as? String ?? "\(referenceObject(for: objectID))"
        service.valueReads.append(reference)
        guard let entity = objectID.entity.name, let row = service.rows[entity]?[reference] else {
            throw CocoaError(CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError))
        }
        var values = row.values
        if service.sendsAuthors, entity == "Book" { values["author"] = authorID(row) ?? NSNull() }
        return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: row.version)
    }

    private func authorID(_ row: Service.Row) -> NSManagedObjectID? {
        guard let author = row.author, let entity = entity("Author") else { return nil }
        return newObjectID(for: entity, referenceObject: author)
    }

    private func entity(_ name: String) -> NSEntityDescription? {
        persistentStoreCoordinator?.managedObjectModel.entitiesByName[name]
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        let reference = referenceObject(for: objectID) as? String ?? "\(referenceObject(for: objectID))"
        service.relationshipReads.append("\(reference).\(relationship.name)")
        if relationship.name == "author" {
            return service.rows["Book"]?[reference].flatMap { authorID($0) } ?? NSNull()
        }
        guard let book = relationship.destinationEntity else { return [] }
        return (service.rows["Book"] ?? [:]).filter { $0.value.author == reference }.keys.sorted().map {
            newObjectID(for: book, referenceObject: $0)
        }
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            service.nextNumber += 1
            let name = object.value(forKey: object.entity.name == "Author" ? "name" : "title") as? String ?? ""
            return newObjectID(for: object.entity, referenceObject: "\(name.lowercased())-\(service.nextNumber)")
        }
    }

    private func save(_ request: NSSaveChangesRequest?) throws -> Any {
        guard let request else { throw Service.Failure(what: "request") }
        for object in request.insertedObjects ?? [] { write(object, "insert") }
        for object in request.updatedObjects ?? [] { write(object, "update") }
        for object in request.deletedObjects ?? [] {
            service.saves.append("delete \(referenceObject(for: object.objectID))")
            service.rows[object.entity.name ?? ""]?["\(referenceObject(for: object.objectID))"] = nil
        }
        return []
    }

    private func write(_ object: NSManagedObject, _ kind: String) {
        let entity = object.entity.name ?? "", reference = "\(referenceObject(for: object.objectID))"
        let names = object.changedValues().keys.sorted().joined(separator: ",")
        service.saves.append("\(kind) \(reference)" + (kind == "update" ? ": \(names)" : ""))
        var row = service.rows[entity]?[reference] ?? Service.Row(version: 0)
        for name in object.entity.attributesByName.keys { row.values[name] = object.value(forKey: name) }
        if let book = object as? Book {
            // Reads the author, which may be a fault: the store is asked while it saves.
            row.author = book.author.map { "\(referenceObject(for: $0.objectID))" }
            row.values["shownAuthor"] = book.author?.name
        }
        if service.countsVersions || row.version == 0 { row.version += 1 }
        service.rows[entity]?[reference] = row
    }
}
