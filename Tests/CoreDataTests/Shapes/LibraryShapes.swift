import CoreData

// What layers over Core Data declare on Apple's platforms: helpers on its classes, stacks,
// repositories and controllers. They are here to be compiled.

// MARK: Helpers in the manner of MagicalRecord

protocol Managed: NSFetchRequestResult {
    static var entityName: String { get }
    static var defaultSortDescriptors: [NSSortDescriptor] { get }
    static var defaultPredicate: NSPredicate { get }
}

extension Managed {
    static var defaultSortDescriptors: [NSSortDescriptor] { [] }
    static var defaultPredicate: NSPredicate { NSPredicate(value: true) }

    static var sortedFetchRequest: NSFetchRequest<Self> {
        let request = NSFetchRequest<Self>(entityName: entityName)
        request.sortDescriptors = defaultSortDescriptors
        request.predicate = defaultPredicate
        return request
    }

    static func sortedFetchRequest(with predicate: NSPredicate) -> NSFetchRequest<Self> {
        let request = sortedFetchRequest
        guard let existing = request.predicate else { fatalError("must have predicate") }
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [existing, predicate])
        return request
    }
}

extension Managed where Self: NSManagedObject {
    static var entityName: String { entity().name ?? "" }

    static func findOrCreate(
        in context: NSManagedObjectContext, matching predicate: NSPredicate, configure: (Self) -> Void
    )
        -> Self
    {
        guard let object = findOrFetch(in: context, matching: predicate) else {
            let new: Self = context.insertObject()
            configure(new)
            return new
        }
        return object
    }

    static func findOrFetch(in context: NSManagedObjectContext, matching predicate: NSPredicate) -> Self? {
        guard let object = materializedObject(in: context, matching: predicate) else {
            return fetch(in: context) { request in
                request.predicate = predicate
                request.returnsObjectsAsFaults = false
                request.fetchLimit = 1
            }.first
        }
        return object
    }

    static func fetch(in context: NSManagedObjectContext, configurationBlock: (NSFetchRequest<Self>) -> Void = { _ in })
        -> [Self]
    {
        let request = NSFetchRequest<Self>(entityName: Self.entityName)
        configurationBlock(request)
        return (try? context.fetch(request)) ?? []
    }

    static func count(in context: NSManagedObjectContext, configure: (NSFetchRequest<Self>) -> Void = { _ in }) -> Int {
        let request = NSFetchRequest<Self>(entityName: entityName)
        configure(request)
        return (try? context.count(for: request)) ?? 0
    }

    static func materializedObject(in context: NSManagedObjectContext, matching predicate: NSPredicate) -> Self? {
        for object in context.registeredObjects where !object.isFault {
            guard let result = object as? Self, predicate.evaluate(with: result) else { continue }
            return result
        }
        return nil
    }
}

extension NSManagedObjectContext {
    func insertObject<A: NSManagedObject>() -> A where A: Managed {
        guard let obj = NSEntityDescription.insertNewObject(forEntityName: A.entityName, into: self) as? A else {
            fatalError("Wrong object type")
        }
        return obj
    }

    func saveOrRollback() -> Bool {
        do {
            try save()
            return true
        } catch {
            rollback()
            return false
        }
    }

    func performChanges(block: @escaping () -> Void) {
        perform {
            block()
            _ = self.saveOrRollback()
        }
    }

    func executeAndMergeChanges(using batchDeleteRequest: NSBatchDeleteRequest) throws {
        batchDeleteRequest.resultType = .resultTypeObjectIDs
        let result = try execute(batchDeleteRequest) as? NSBatchDeleteResult
        let changes: [AnyHashable: Any] = [NSDeletedObjectsKey: result?.result as? [NSManagedObjectID] ?? []]
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [self])
    }

    func deleteAll<T: NSManagedObject>(_ type: T.Type) throws {
        let request: NSFetchRequest<any NSFetchRequestResult> = T.fetchRequest()
        let delete = NSBatchDeleteRequest(fetchRequest: request)
        try executeAndMergeChanges(using: delete)
    }

    var metaData: [String: AnyObject] {
        get {
            guard let psc = persistentStoreCoordinator else { fatalError("must have PSC") }
            return psc.metadata(for: psc.persistentStores.first!) as [String: AnyObject]
        }
        set {
            guard let psc = persistentStoreCoordinator else { fatalError("must have PSC") }
            psc.setMetadata(newValue, for: psc.persistentStores.first!)
        }
    }

    static func onCurrent<T>(_ context: NSManagedObjectContext, _ work: @escaping (NSManagedObjectContext) throws -> T)
        async throws -> T
    {
        try await context.perform { try work(context) }
    }
}

extension NSManagedObject {
    func inContext(_ context: NSManagedObjectContext) -> Self? {
        if objectID.isTemporaryID { try? managedObjectContext?.obtainPermanentIDs(for: [self]) }
        return (try? context.existingObject(with: objectID)) as? Self
    }

    static func all<T: NSManagedObject>(_ type: T.Type = T.self, in context: NSManagedObjectContext) throws -> [T] {
        let request = NSFetchRequest<T>(entityName: String(describing: T.self))
        return try context.fetch(request)
    }

    class func create(in context: NSManagedObjectContext) -> Self { Self(context: context) }

    func changedValue(forKey key: String) -> Any? { changedValues()[key] }
    func committedValue(forKey key: String) -> Any? { committedValues(forKeys: [key])[key] }
    func hasChangedValue(forKey key: String) -> Bool { changedValues().keys.contains(key) }
    func refresh(_ mergeChanges: Bool = true) { managedObjectContext?.refresh(self, mergeChanges: mergeChanges) }

    func toDictionary() -> [String: Any] {
        let keys = Array(entity.attributesByName.keys)
        return dictionaryWithValues(forKeys: keys)
    }

    func copyAttributes(from other: NSManagedObject) {
        for (name, attribute) in entity.attributesByName where !attribute.isTransient {
            setValue(other.value(forKey: name), forKey: name)
        }
        for (name, relationship) in entity.relationshipsByName where relationship.isToMany {
            let members = mutableSetValue(forKey: name)
            for case let member as NSManagedObject in other.mutableSetValue(forKey: name) { members.add(member) }
        }
    }
}

extension Notification {
    var inserted: Set<NSManagedObject> { userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? [] }
    var savedContext: NSManagedObjectContext? { object as? NSManagedObjectContext }
}

// MARK: Stacks

final class Stack {
    static let modelName = "Library"
    let storeURL: URL
    private(set) lazy var managedObjectModel: NSManagedObjectModel = Library.model()

    lazy var persistentStoreCoordinator: NSPersistentStoreCoordinator = {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: self.managedObjectModel)
        do {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: self.storeURL,
                options: [
                    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                ])
        } catch let error as NSError {
            if error.domain == NSCocoaErrorDomain, error.code == NSPersistentStoreIncompatibleVersionHashError {
                try? coordinator.destroyPersistentStore(at: self.storeURL, ofType: NSSQLiteStoreType, options: nil)
            }
        }
        return coordinator
    }()

    lazy var rootContext: NSManagedObjectContext = {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self.persistentStoreCoordinator
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        context.undoManager = nil
        return context
    }()

    lazy var mainContext: NSManagedObjectContext = {
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.parent = self.rootContext
        context.automaticallyMergesChangesFromParent = true
        context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        return context
    }()

    init(storeURL: URL) { self.storeURL = storeURL }

    func save(_ completion: ((Result<Void, any Error>) -> Void)? = nil) {
        mainContext.performAndWait {
            do {
                if mainContext.hasChanges { try mainContext.save() }
                try rootContext.performAndWait { if rootContext.hasChanges { try rootContext.save() } }
                completion?(.success(()))
            } catch {
                completion?(.failure(error))
            }
        }
    }
}

class PersistenceController {
    let container: NSPersistentContainer

    init(inMemory: Bool = false) {
        container = NSPersistentContainer(name: "Library", managedObjectModel: Library.model())
        if inMemory { container.persistentStoreDescriptions.first!.url = URL(fileURLWithPath: "/dev/null") }
        let description = container.persistentStoreDescriptions.first
        description?.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description?.setOption(true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        container.loadPersistentStores(completionHandler: { (storeDescription, error) in
            if let error = error as NSError? { fatalError("Unresolved error \(error), \(error.userInfo)") }
        })
        container.viewContext.automaticallyMergesChangesFromParent = true
        container.viewContext.name = "viewContext"
        container.viewContext.shouldDeleteInaccessibleFaults = true
    }

    func newTaskContext() -> NSManagedObjectContext {
        let taskContext = container.newBackgroundContext()
        taskContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        taskContext.undoManager = nil
        return taskContext
    }

    func importBooks(_ titles: [String]) async throws -> Int {
        let taskContext = newTaskContext()
        taskContext.name = "importContext"
        taskContext.transactionAuthor = "importBooks"
        return try await taskContext.perform {
            let request = self.newBatchInsertRequest(titles)
            request.resultType = .count
            let fetchResult = try taskContext.execute(request)
            return (fetchResult as? NSBatchInsertResult)?.result as? Int ?? 0
        }
    }

    private func newBatchInsertRequest(_ titles: [String]) -> NSBatchInsertRequest {
        var index = 0
        let total = titles.count
        return NSBatchInsertRequest(
            entity: Book.entity(),
            dictionaryHandler: { dictionary in
                guard index < total else { return true }
                dictionary.addEntries(from: ["title": titles[index]])
                index += 1
                return false
            })
    }

    func fetchHistory(after token: NSPersistentHistoryToken?) async throws -> [NSPersistentHistoryTransaction] {
        let context = newTaskContext()
        return try await context.perform {
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
            if let fetch = NSPersistentHistoryTransaction.fetchRequest {
                fetch.predicate = NSPredicate(format: "author != %@", "app")
                request.fetchRequest = fetch
            }
            let result = try context.execute(request) as? NSPersistentHistoryResult
            return result?.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }
}

// MARK: Repositories and controllers

class Repository<Entity: NSManagedObject> {
    let context: NSManagedObjectContext
    required init(context: NSManagedObjectContext) { self.context = context }

    func get(_ predicate: NSPredicate? = nil, sort: [NSSortDescriptor]? = nil) -> Result<[Entity], any Error> {
        let request = Entity.fetchRequest()
        request.predicate = predicate
        request.sortDescriptors = sort
        do { return .success(try context.fetch(request) as? [Entity] ?? []) } catch { return .failure(error) }
    }

    func create() -> Entity { Entity(context: context) }
    func delete(_ entity: Entity) { context.delete(entity) }
}

class ResultsDataSource<T: NSManagedObject>: NSObject, NSFetchedResultsControllerDelegate {
    let controller: NSFetchedResultsController<T>
    private(set) var changes: [NSFetchedResultsChangeType] = []

    init(request: NSFetchRequest<T>, context: NSManagedObjectContext) {
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        super.init()
        controller.delegate = self
    }

    func load() throws { try controller.performFetch() }
    var count: Int { controller.sections?.reduce(0) { $0 + $1.numberOfObjects } ?? 0 }
    subscript(indexPath: IndexPath) -> T { controller.object(at: indexPath) }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        changes = []
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?,
        for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        switch type {
        case .insert, .delete, .move, .update: changes.append(type)
        @unknown default: break
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
}

final class MockController: NSFetchedResultsController<Book> {
    override var fetchedObjects: [Book]? { [] }
    override func performFetch() throws {}
}

final class MockContext: NSManagedObjectContext, @unchecked Sendable {
    var error: (any Error)?
    override func save() throws { if let error { throw error } }
    override var hasChanges: Bool { true }
    override func object(with objectID: NSManagedObjectID) -> NSManagedObject { NSManagedObject() }
    override func perform(_ block: @escaping () -> Void) { block() }
}

final class MockBatchResult: NSBatchDeleteRequest {
    override var resultType: NSBatchDeleteRequestResultType {
        get { .resultTypeCount }
        set {}
    }
}

final class MockStoreCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    override func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try super.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: configuration, at: storeURL, options: options)
    }
    override var persistentStores: [NSPersistentStore] { super.persistentStores }
}

final class MockContainer: NSPersistentContainer, @unchecked Sendable {
    override var viewContext: NSManagedObjectContext { super.viewContext }
    override var persistentStoreCoordinator: NSPersistentStoreCoordinator { super.persistentStoreCoordinator }
    override func newBackgroundContext() -> NSManagedObjectContext {
        let context = super.newBackgroundContext()
        context.name = "mock"
        return context
    }
    override func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        super.loadPersistentStores(completionHandler: block)
    }
}

// MARK: Models in code

struct AttributeBuilder {
    static func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = false, defaultValue: Any? = nil, indexed: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.defaultValue = defaultValue
        return attribute
    }
}

extension NSEntityDescription {
    convenience init<A: NSManagedObject>(for type: A.Type, name: String) {
        self.init()
        self.name = name
        managedObjectClassName = NSStringFromClass(type)
    }

    convenience init(_ name: String, _ properties: [NSPropertyDescription]) {
        self.init()
        self.name = name
        self.properties = properties
    }

    func add(_ property: NSPropertyDescription) { properties.append(property) }
    var hashes: [String: Data] { propertiesByName.mapValues(\.versionHash) }
}

extension NSRelationshipDescription {
    static func toMany(_ name: String, _ destination: NSEntityDescription, rule: NSDeleteRule = .nullifyDeleteRule)
        -> NSRelationshipDescription
    {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        (relationship.minCount, relationship.maxCount) = (0, 0)
        relationship.deleteRule = rule
        relationship.isOrdered = false
        return relationship
    }
}

extension NSManagedObjectModel {
    convenience init(_ entities: [NSEntityDescription]) {
        self.init()
        self.entities = entities
    }

    static func named(_ name: String, in bundle: Bundle = .main) -> NSManagedObjectModel? {
        guard let url = bundle.url(forResource: name, withExtension: "momd") else { return nil }
        return NSManagedObjectModel(contentsOf: url)
    }

    class func compatible(with metadata: [String: Any], in models: [NSManagedObjectModel]) -> NSManagedObjectModel? {
        models.first { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }
    }
}

final class CustomEntityDescription: NSEntityDescription {
    override init() { super.init() }
    required init?(coder: NSCoder) { fatalError("init(coder:) is not used") }
    override var isAbstract: Bool {
        get { super.isAbstract }
        set { super.isAbstract = newValue }
    }
}

final class CustomAttribute: NSAttributeDescription {
    let note: String
    init(name: String, note: String) {
        self.note = note
        super.init()
        self.name = name
    }
    required init?(coder: NSCoder) { fatalError("init(coder:) is not used") }
}

final class CustomRequest: NSFetchRequest<Book> {
    override init() {
        super.init()
        fetchBatchSize = 20
    }
}
