import CoreData

// What the model layers of applications declare on Apple's platforms: objects with initializers of
// their own, policies, transformers, notifications and errors. They are here to be compiled.

// MARK: Objects

extension CodingUserInfoKey {
    static let managedObjectContext = CodingUserInfoKey(rawValue: "managedObjectContext")
}

enum DecoderConfigurationError: Error {
    case missingManagedObjectContext
}

final class Article: NSManagedObject, Codable {
    enum CodingKeys: CodingKey { case title, words }

    @Managed var title: String?
    @Managed var words: Int32

    required convenience init(from decoder: any Decoder) throws {
        guard let key = CodingUserInfoKey.managedObjectContext,
            let context = decoder.userInfo[key] as? NSManagedObjectContext
        else { throw DecoderConfigurationError.missingManagedObjectContext }
        self.init(context: context)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decode(String.self, forKey: .title)
        words = try container.decode(Int32.self, forKey: .words)
    }

    convenience init(title: String, context: NSManagedObjectContext) {
        self.init(context: context)
        self.title = title
    }

    convenience init(title: String, insertInto context: NSManagedObjectContext) {
        let entity = NSEntityDescription.entity(forEntityName: "Article", in: context)
        self.init(entity: entity ?? Article.entity(), insertInto: context)
        self.title = title
    }

    convenience init?(_ values: [String: Any], _ context: NSManagedObjectContext) {
        guard let title = values["title"] as? String else { return nil }
        self.init(title: title, context: context)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try container.encode(words, forKey: .words)
    }
}

class Base: NSManagedObject {
    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
    }
    @Managed var createdAt: Date?
    class func defaultSort() -> [NSSortDescriptor] { [NSSortDescriptor(key: "createdAt", ascending: false)] }
    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(timeIntervalSinceReferenceDate: 0), forKey: "createdAt")
    }
    override func willSave() { super.willSave() }
    override func prepareForDeletion() { super.prepareForDeletion() }
    override func validateForInsert() throws { try super.validateForInsert() }
    override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
    override class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> { super.fetchRequest() }
    override class func entity() -> NSEntityDescription { super.entity() }
    override var description: String { "a base" }
    override func value(forUndefinedKey key: String) -> Any? { nil }
}

final class Derived: Base {
    @Managed var note: String?
    static func first(in context: NSManagedObjectContext) throws -> Derived? {
        let request = NSFetchRequest<Derived>(entityName: "Derived")
        request.sortDescriptors = defaultSort()
        return try context.fetch(request).first
    }
}

protocol Titled: NSManagedObject {
    var title: String? { get set }
}

extension Article: Titled {}

extension Titled {
    static func titled(_ title: String, in context: NSManagedObjectContext) throws -> Self? {
        let request = NSFetchRequest<Self>(entityName: Self.entity().name ?? "")
        request.predicate = NSPredicate(format: "%K == %@", "title", title)
        return try context.fetch(request).first
    }
}

protocol Fetchable: AnyObject {
    associatedtype FetchableType: NSManagedObject = Self
    static var name: String { get }
    static func objects(in context: NSManagedObjectContext) throws -> [FetchableType]
}

extension Fetchable where Self: NSManagedObject, FetchableType == Self {
    static var name: String { NSStringFromClass(self).components(separatedBy: ".").last ?? "" }
    static func objects(in context: NSManagedObjectContext) throws -> [Self] {
        let request: NSFetchRequest<Self> = NSFetchRequest(entityName: name)
        return try context.fetch(request)
    }
}

extension Article: Fetchable {}

// MARK: Policies, transformers, mappings

final class KeepingPolicy: NSMergePolicy, @unchecked Sendable {
    init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        for conflict in list {
            guard let kept = conflict.databaseObject else { continue }
            for key in kept.entity.attributesByName.keys {
                for other in conflict.conflictingObjects { other.setValue(kept.value(forKey: key), forKey: key) }
            }
        }
        try super.resolve(constraintConflicts: list)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        for conflict in list {
            conflict.sourceObject.managedObjectContext?.refresh(conflict.sourceObject, mergeChanges: true)
        }
        try super.resolve(optimisticLockingConflicts: list)
    }
}

final class TagsTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    static let name = NSValueTransformerName(rawValue: String(describing: TagsTransformer.self))
    override static var allowedTopLevelClasses: [AnyClass] { [NSArray.self, NSString.self] }
    override class func transformedValueClass() -> AnyClass { NSArray.self }
    override class func allowsReverseTransformation() -> Bool { true }
    static func register() { ValueTransformer.setValueTransformer(TagsTransformer(), forName: name) }
}

final class SplittingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        for object in made { object.setValue(sInstance.value(forKey: "title"), forKey: "title") }
        let extra = NSEntityDescription.insertNewObject(
            forEntityName: mapping.destinationEntityName ?? "", into: manager.destinationContext)
        manager.associate(sourceInstance: sInstance, withDestinationInstance: extra, for: mapping)
        for property in mapping.attributeMappings ?? [] { _ = property.valueExpression }
        _ = manager.userInfo?["count"]
    }
}

// MARK: Notifications, errors, history

final class Observer {
    private var tokens: [any NSObjectProtocol] = []

    func observe(_ context: NSManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator) {
        let center = NotificationCenter.default
        for name in [
            NSNotification.Name.NSManagedObjectContextDidSave, .NSManagedObjectContextObjectsDidChange,
            .NSManagedObjectContextWillSave, NSManagedObjectContext.didSaveObjectIDsNotification,
            NSManagedObjectContext.didSaveObjectsNotification, NSManagedObjectContext.didChangeObjectsNotification,
            NSManagedObjectContext.willSaveObjectsNotification,
            .NSPersistentStoreRemoteChange, .NSPersistentStoreCoordinatorStoresDidChange,
        ] {
            tokens.append(
                center.addObserver(forName: name, object: nil, queue: nil) { note in
                    _ =
                        note.userInfo?[NSManagedObjectContext.NotificationKey.insertedObjects.rawValue]
                        as? Set<NSManagedObject>
                    _ = note.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>
                    _ = note.userInfo?[NSInvalidatedAllObjectsKey]
                })
        }
    }

    func explain(_ error: any Error) -> String {
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain else { return error.localizedDescription }
        if let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] { return "\(details.count)" }
        switch error.code {
        case NSManagedObjectValidationError, NSValidationMissingMandatoryPropertyError: return "validation"
        case NSManagedObjectMergeError, NSManagedObjectConstraintMergeError: return "conflict"
        case NSValidationStringTooLongError...NSValidationStringPatternMatchingError: return "text"
        default: break
        }
        switch (error as any Error as? CocoaError)?.code {
        case CocoaError.validationMultipleErrors?, CocoaError.persistentStoreSave?: return "store"
        case CocoaError.managedObjectReferentialIntegrity?, .coreData?: return "integrity"
        default: return (error.userInfo[NSValidationKeyErrorKey] as? String) ?? ""
        }
    }

    func merge(_ transactions: [NSPersistentHistoryTransaction], into context: NSManagedObjectContext) throws {
        for transaction in transactions {
            for change in transaction.changes ?? [] where change.changeType == .update {
                _ = change.updatedProperties?.map(\.name)
            }
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: transaction.objectIDNotification().userInfo ?? [:], into: [context])
            context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
            let data = try NSKeyedArchiver.archivedData(withRootObject: transaction.token, requiringSecureCoding: true)
            _ = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
        }
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantPast))
    }
}

final class MockTransaction: NSPersistentHistoryTransaction, @unchecked Sendable {
    override var author: String? { "mock" }
    override var timestamp: Date { .distantPast }
    override var changes: [NSPersistentHistoryChange]? { [MockChange()] }
}

final class MockChange: NSPersistentHistoryChange, @unchecked Sendable {
    override var changeType: NSPersistentHistoryChangeType { .delete }
    override var changedObjectID: NSManagedObjectID { NSManagedObjectID() }
}

final class SectionedDelegate: NSFetchedResultsControllerDelegate {
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        _ = sectionInfo.objects?.count
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {
        _ = snapshot.itemIdentifiers as? [NSManagedObjectID]
    }
}

enum Requests {
    static func run(_ context: NSManagedObjectContext) throws {
        let count = NSFetchRequest<NSNumber>(entityName: "Article")
        count.resultType = .countResultType
        _ = try context.fetch(count).first?.intValue
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Article")
        ids.resultType = .managedObjectIDResultType
        _ = try context.fetch(ids)
        let update = NSBatchUpdateRequest(entityName: "Article")
        update.propertiesToUpdate = ["words": NSExpression(format: "words + 1")]
        update.resultType = .updatedObjectIDsResultType
        let updated = try context.execute(update) as? NSBatchUpdateResult
        let changes: [AnyHashable: Any] = [NSUpdatedObjectsKey: updated?.result as? [NSManagedObjectID] ?? []]
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context])
        let later = NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<Article>(entityName: "Article")) { result in
            _ = result.finalResult?.map(\.title)
        }
        _ = try context.execute(later) as? NSPersistentStoreAsynchronousResult
        let all: NSFetchRequest<any NSFetchRequestResult> = Article.fetchRequest()
        _ = try context.fetch(all) as? [Article]
        let predicates = [NSPredicate(format: "SELF IN %@", [Article]()), NSPredicate(format: "words BETWEEN {1, 2}")]
        all.predicate = NSCompoundPredicate(type: .and, subpredicates: predicates)
        all.sortDescriptors = [NSSortDescriptor(keyPath: \Article.title, ascending: true)]
        all.propertiesToFetch = ["title"]
        _ = try context.count(for: all)
    }
}
