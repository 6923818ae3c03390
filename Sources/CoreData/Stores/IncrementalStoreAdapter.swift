import Foundation
import ObjectGraph
import Query
import Schema
import Storage

/// An ``NSIncrementalStore`` as a store of Folio's.
// Sendable because Folio calls it under the lock of the store, one thread at a time.
final class IncrementalStoreAdapter: FaultingStore, @unchecked Sendable {
    static let storeType = StoreType(rawValue: "NSIncrementalStore")

    private let store: NSIncrementalStore
    private var metadata: [String: MetadataValue]
    private var versions: [ManagedObjectID: Version] = [:]

    /// The version of an object for Folio, which counts them.
    private struct Version {
        /// The store's own; nil after a save, until the store tells.
        var own: UInt64?
        var number: Int64
    }

    init(_ store: NSIncrementalStore, _ metadata: [String: MetadataValue]) {
        self.store = store
        self.metadata = metadata
    }

    /// Stores of the application's own are made by their coordinator, which has their class.
    init(_ description: PersistentStoreDescription, model: ManagedObjectModel) throws {
        throw StorageError(.unsupported, "A coordinator of Core Data's shape makes this store")
    }

    private var references: StoreReferenceTable { store.knownReferences }
    private var model: ManagedObjectModel { references.identity.model }
    private var asking: NSManagedObjectContext { StoreCalls.asking(store.persistentStoreCoordinator) }

    func loadMetadata() throws -> [String: MetadataValue]? { metadata }

    // MARK: Fetching

    func execute(_ request: IncrementalFetchRequest, with context: IncrementalStoreContext) throws
        -> IncrementalFetchResult
    {
        let answer = try answer(fetchRequest(request))
        let ids: [ManagedObjectID] = try answer.map { element in
            switch element {
            case let object as NSManagedObject: return object.objectID
            case let id as ManagedObjectID: return id
            default: throw StoredValues.invalid("execute(_:with:) gave a \(type(of: element)), not an object")
            }
        }
        for id in ids { references.note(id) }
        return .complete(ids)
    }

    func count(_ request: IncrementalFetchRequest, with context: IncrementalStoreContext) throws -> Int {
        let asked = fetchRequest(request)
        asked.resultType = .countResultType
        let answer = try answer(asked)
        guard answer.count == 1, let count = (answer[0] as? NSNumber)?.intValue ?? answer[0] as? Int else {
            throw StoredValues.invalid("execute(_:with:) gave no number for a count")
        }
        return count
    }

    private func answer(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
        let context = asking
        let answer = try StoreCalls.calling { try store.execute(request, with: context) }
        if let elements = BridgedValue.elements(of: answer) { return elements }
        if answer is NSNumber || answer is Int { return [answer] }
        throw StoredValues.invalid("execute(_:with:) gave a \(type(of: answer)), not an array")
    }

    private func fetchRequest(_ request: IncrementalFetchRequest) -> NSFetchRequest<any NSFetchRequestResult> {
        let asked = StoreCalls.current.takeRequest(for: request.entity.name) ?? NSFetchRequest()
        asked.entity = described(request.entity)
        asked.predicate = request.predicate.map { FormatPredicate.make($0) }
        asked.sortDescriptors =
            request.sortDescriptors.isEmpty ? nil : request.sortDescriptors.map { KeySortDescriptor($0) }
        asked.fetchLimit = request.fetchLimit ?? 0
        asked.fetchOffset = request.fetchOffset
        asked.includesSubentities =
            request.entity.family.count == 1 || request.entities.contains { $0.index != request.entity.index }
        asked.affectedStores = [store]
        if asked.resultType != .managedObjectIDResultType { asked.resultType = .managedObjectResultType }
        return asked
    }

    private func described(_ entity: EntityDescription) -> NSEntityDescription {
        store.persistentStoreCoordinator?.managedObjectModel.entitiesByName[entity.name]
            ?? NSEntityDescription.of(entity, in: model)
    }

    // MARK: Values

    func newValuesForObject(with objectID: ManagedObjectID, with context: IncrementalStoreContext) throws
        -> IncrementalStoreNode?
    {
        // The store does not have new objects yet.
        if references.isFresh(objectID) { return nil }
        let exact = references.exact(objectID), asking = asking
        let node: NSIncrementalStoreNode
        do {
            node = try StoreCalls.calling { try store.newValuesForObject(with: exact, with: asking) }
        } catch let error as StoreCallError
            where (error.error as NSError).domain == NSCocoaErrorDomain
            && (error.error as NSError).code == NSManagedObjectReferentialIntegrityError
        {
            return nil
        }
        guard node.objectID == exact else {
            throw StoredValues.invalid("the node for \(exact) is that of \(node.objectID)")
        }
        references.note(node.objectID)
        return try values(of: node, asking)
    }

    private func values(of node: NSIncrementalStoreNode, _ asking: NSManagedObjectContext) throws
        -> IncrementalStoreNode
    {
        let entity = model.entities[node.objectID.entityIndex], described = described(entity)
        var made = IncrementalStoreNode(objectID: node.objectID, version: number(of: node))
        let properties = described.propertiesByName
        func value(_ name: String) -> Any? { properties[name].flatMap { node.value(for: $0) } }
        for attribute in StoredValues.attributes(of: entity) {
            let stored = try StoredValues.stored(value(attribute.name), attribute, of: entity)
            if !stored.isNull { made.attributes[attribute.name] = stored }
        }
        for (name, isToMany) in StoredValues.relationships(of: entity) where !isToMany {
            var target = value(name)
            if target == nil, let relationship = properties[name] as? NSRelationshipDescription {
                target = try StoreCalls.calling { () throws -> Any in
                    try store.newValue(forRelationship: relationship, forObjectWith: node.objectID, with: asking)
                }
            }
            switch target {
            case nil, is NSNull: continue
            case let id as ManagedObjectID: made.toOnes[name] = id
            case let object as NSManagedObject: made.toOnes[name] = object.objectID
            case let other?: throw StoredValues.invalid("\(entity.name).\(name) is a \(type(of: other)), not an ID")
            }
        }
        return made
    }

    /// Folio's version of a node: another one whenever the store's differs from the last that was
    /// seen.
    private func number(of node: NSIncrementalStoreNode) -> Int64 {
        var version = versions[node.objectID] ?? Version(own: node.version, number: 1)
        if let own = version.own, own != node.version { version.number += 1 }
        version.own = node.version
        versions[node.objectID] = version
        return version.number
    }

    func newValue(
        forRelationship relationship: RelationshipDescription, forObjectWith objectID: ManagedObjectID,
        with context: IncrementalStoreContext
    ) throws -> [ManagedObjectID] {
        if references.isFresh(objectID) { return [] }
        let exact = references.exact(objectID), asking = asking
        let entity = described(model.entities[exact.entityIndex])
        guard let described = entity.relationshipsByName[relationship.name] else { return [] }
        let answer = try StoreCalls.calling {
            try store.newValue(forRelationship: described, forObjectWith: exact, with: asking)
        }
        if answer is NSNull { return [] }
        guard let elements = BridgedValue.elements(of: answer) else {
            throw StoredValues.invalid("\(relationship.name) is a \(type(of: answer)), not an array of IDs")
        }
        return try elements.map { element in
            guard let id = element as? ManagedObjectID ?? (element as? NSManagedObject)?.objectID else {
                throw StoredValues.invalid("\(relationship.name) has a \(type(of: element)), not an ID")
            }
            references.note(id)
            return id
        }
    }

    // MARK: Saving

    /// Contexts of this module make IDs of objects; nothing else can.
    func obtainPermanentIDs(forEntityNamed entityName: String, count: Int, with context: IncrementalStoreContext) throws
        -> [ReferenceObject]
    {
        throw Self.needsContext
    }

    private static let needsContext = StorageError(
        .unsupported, "A store of the application's own is changed by the saves of contexts alone")

    func execute(_ request: IncrementalSaveRequest, with context: IncrementalStoreContext) throws {
        let save = SaveInProgress(store.persistentStoreCoordinator, store: references.identity)
        let changed = request.insertedObjects + request.updatedObjects
        guard save != nil || changed.isEmpty && request.deletedObjects.isEmpty else { throw Self.needsContext }
        let before = store.ownMetadata
        if let metadata = request.metadata {
            var plain = StoreMetadataValues.plain(metadata)
            plain[NSStoreUUIDKey] = before[NSStoreUUIDKey]
            store.ownMetadata = plain
        }
        do { try write(request, save) } catch {
            store.ownMetadata = before
            throw error
        }
        if let metadata = request.metadata { self.metadata = metadata }
        for object in changed { versions[object.node.objectID] = Version(own: nil, number: object.node.version) }
        for object in request.deletedObjects { versions[object.objectID] = nil }
        references.endFresh(request.insertedObjects.map(\.node.objectID))
    }

    private func write(_ request: IncrementalSaveRequest, _ save: SaveInProgress?) throws {
        let context = save?.context
        func objects(_ ids: [ManagedObjectID]) -> Set<NSManagedObject> {
            Set(ids.compactMap { context?.object(with: $0) })
        }
        let asked = NSSaveChangesRequest(
            inserted: objects(request.insertedObjects.map(\.node.objectID)),
            updated: objects(request.updatedObjects.map(\.node.objectID)),
            deleted: objects(request.deletedObjects.map(\.objectID)), locked: [])
        asked.affectedStores = [store]
        let asking = context ?? asking
        try StoreCalls.calling {
            guard let save else { return _ = try store.execute(asked, with: asking) }
            _ = try StoreCalls.current.writing(save) { try store.execute(asked, with: asking) }
        }
    }
}
