import CoreData

// Migrations, models and stores as libraries declare them on Apple's platforms. They are here to be
// compiled.

extension NSManagedObjectModel {
    convenience init?(_ name: String, _ subdirectory: String? = nil) {
        guard let url = Bundle.main.url(forResource: name, withExtension: "mom", subdirectory: subdirectory) else {
            return nil
        }
        self.init(contentsOf: url)
    }

    static func model(for metadata: [String: Any], in bundle: Bundle) -> NSManagedObjectModel? {
        NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)
    }

    @discardableResult
    func entity<T: NSManagedObject>(_ type: T.Type, _ build: (NSEntityDescription) -> Void) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = String(describing: type)
        entity.managedObjectClassName = NSStringFromClass(type)
        build(entity)
        entities.append(entity)
        return entity
    }

    subscript(entityName: String) -> NSEntityDescription? { entitiesByName[entityName] }

    func entity(for type: NSManagedObject.Type) -> NSEntityDescription? {
        entities.first { $0.managedObjectClassName == NSStringFromClass(type) }
    }
}

extension NSEntityDescription {
    var rootEntity: NSEntityDescription {
        var entity = self
        while let parent = entity.superentity { entity = parent }
        return entity
    }

    var managedObjectClass: NSManagedObject.Type? {
        NSClassFromString(managedObjectClassName) as? NSManagedObject.Type
    }

    func addIndex(on names: String...) {
        let elements = names.compactMap { propertiesByName[$0] }.map {
            NSFetchIndexElementDescription(property: $0, collationType: .binary)
        }
        indexes.append(NSFetchIndexDescription(name: "by" + names.joined(), elements: elements))
    }
}

extension NSAttributeDescription {
    static func make(
        name: String, type: AttributeType, isOptional: Bool = true,
        configure: ((NSAttributeDescription) -> Void)? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.type = type
        attribute.isOptional = isOptional
        attribute.setValidationPredicates([NSPredicate(format: "length > 0")], withValidationWarnings: ["empty"])
        configure?(attribute)
        return attribute
    }
}

/// Migrates a store step by step, as applications with many versions do.
class Migrator {
    let models: [NSManagedObjectModel]

    init(models: [NSManagedObjectModel]) { self.models = models }

    func requiresMigration(at storeURL: URL, to model: NSManagedObjectModel) throws -> Bool {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: storeURL, options: nil)
        return !model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    }

    func migrate(at storeURL: URL, to target: NSManagedObjectModel) throws {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: storeURL)
        guard
            let source = models.first(where: {
                $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
            })
        else { return }
        try checkpoint(storeURL, source)
        let mapping =
            try NSMappingModel(from: [Bundle.main], forSourceModel: source, destinationModel: target)
            ?? NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: target)
        let manager = NSMigrationManager(sourceModel: source, destinationModel: target)
        let destination = storeURL.deletingLastPathComponent().appendingPathComponent(UUID().uuidString)
        try manager.migrateStore(
            from: storeURL, sourceType: NSSQLiteStoreType, options: nil, with: mapping, toDestinationURL: destination,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try coordinator.replacePersistentStore(
            at: storeURL, destinationOptions: nil, withPersistentStoreFrom: destination, sourceOptions: nil,
            ofType: NSSQLiteStoreType)
        try coordinator.destroyPersistentStore(at: destination, ofType: NSSQLiteStoreType, options: nil)
        try FileManager.default.removeItem(at: destination)
    }

    private func checkpoint(_ storeURL: URL, _ model: NSManagedObjectModel) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let options = [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: options)
        try coordinator.remove(store)
    }
}

extension NSPersistentContainer {
    func destroyAll() throws {
        for description in persistentStoreDescriptions {
            guard let url = description.url else { continue }
            try persistentStoreCoordinator.destroyPersistentStore(at: url, ofType: description.type, options: nil)
        }
    }

    func loadStores() async throws {
        for description in persistentStoreDescriptions { description.shouldAddStoreAsynchronously = false }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            var count = persistentStoreDescriptions.count
            loadPersistentStores { _, error in
                count -= 1
                if let error { continuation.resume(throwing: error) } else if count == 0 { continuation.resume() }
            }
        }
    }

    var storeURL: URL? { persistentStoreCoordinator.persistentStores.first?.url }

    func background<T: Sendable>(_ body: @escaping (NSManagedObjectContext) throws -> T) async throws -> T {
        try await performBackgroundTask { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let value = try body(context)
            if context.hasChanges { try context.save() }
            return value
        }
    }
}

/// A store that counts what it is asked.
final class CountingStore: NSIncrementalStore, @unchecked Sendable {
    static let type = String(describing: CountingStore.self)
    static func register() { NSPersistentStoreCoordinator.registerStoreClass(self, forStoreType: type) }

    override func loadMetadata() throws {
        metadata = [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: CountingStore.type]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        switch request.requestType {
        case .fetchRequestType:
            guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult> else { return [] as [Any] }
            return fetch.resultType == .countResultType ? [0] as [Any] : []
        case .saveRequestType:
            _ = (request as? NSSaveChangesRequest)?.insertedObjects?.count
            return [] as [Any]
        default: return [] as [Any]
        }
    }

    override func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext) throws
        -> NSIncrementalStoreNode
    {
        NSIncrementalStoreNode(objectID: objectID, withValues: [:], version: 1)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any { [] as [NSManagedObjectID] }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
    }
}
