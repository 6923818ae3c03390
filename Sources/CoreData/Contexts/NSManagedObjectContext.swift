public import Foundation
public import ObjectGraph
import Query
public import Schema
import Storage
internal import Synchronization

/// A workspace for managed objects: it fetches objects, keeps one instance of each, tracks their
/// changes, and saves them.
///
/// ```swift
/// let context = container.newBackgroundContext()
/// try await context.perform {
///     Book(context: context).title = "Middlemarch"
///     try context.save()
/// }
/// ```
/// As in Core Data, use a context and its objects inside of its `perform` and `performAndWait`, and
/// one of the main queue on the main thread.
// Sendable as on Apple's platforms: what it holds is used in its queue alone, by the rule above.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// Where the blocks of the context run.
    open var concurrencyType: NSManagedObjectContextConcurrencyType { ownConcurrencyType }
    private let ownConcurrencyType: NSManagedObjectContextConcurrencyType
    let queue: ContextQueue
    /// Folio's context; nil as long as there is neither a coordinator nor a parent.
    private(set) var folio: ManagedObjectContext?
    private var coordinator: NSPersistentStoreCoordinator?
    private var parentContext: NSManagedObjectContext?
    private var observations: [ContextObservation] = []
    private var entities: [Int: NSEntityDescription] = [:]

    /// Creates a context without a coordinator: set one, or a parent, before using it.
    public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
        ownConcurrencyType = concurrencyType
        queue = ContextQueue(concurrencyType)
        super.init()
        Self.living.withLock { living in
            living.removeAll { $0.context == nil }
            living.append(Living(self))
        }
    }

    /// Creates a context whose blocks run wherever they are called: the form before there were
    /// queues.
    public convenience override init() { self.init(concurrencyType: .confinementConcurrencyType) }

    /// Where the blocks of a context run.
    public enum ConcurrencyType: Sendable {
        /// On the main queue.
        case mainQueue
        /// On a queue of the context's own.
        case privateQueue
    }

    /// Creates a context without a coordinator: set one, or a parent, before using it.
    public convenience init(_ type: ConcurrencyType) {
        self.init(concurrencyType: type == .mainQueue ? .mainQueueConcurrencyType : .privateQueueConcurrencyType)
    }

    /// Core Data's view of a context that Folio made.
    convenience init(_ context: ManagedObjectContext, _ coordinator: NSPersistentStoreCoordinator?) {
        self.init(concurrencyType: .confinementConcurrencyType)
        self.coordinator = coordinator
        adopt(context)
    }

    /// The context of Core Data's that stands for one of Folio's.
    static func of(_ context: ManagedObjectContext) -> NSManagedObjectContext {
        if let own = context.companion as? NSManagedObjectContext { return own }
        return NSManagedObjectContext(
            context, NSPersistentStoreCoordinator.of(context.persistentStoreCoordinator))
    }

    private func adopt(_ context: ManagedObjectContext) {
        folio = context
        context.companion = self
        entities = [:]
        context.exclusively = { [weak self] body in
            if let self { self.queue.wait(body) } else { body() }
        }
        context.isUsedHere = { [queue] in queue.isCurrent }
        // A context without a queue merges when it is next used.
        if concurrencyType != .confinementConcurrencyType {
            context.savesArrived = { [weak self] in
                self?.perform { [weak self] in self?.folio?.processPendingChanges() }
            }
        }
        observations = observe(context)
        context.name = name
        context.transactionAuthor = transactionAuthor
        context.undoManager = undoManager
        context.mergePolicy = folioMergePolicy
        context.propagatesDeletesAtEndOfEvent = propagatesDeletesAtEndOfEvent
        context.shouldDeleteInaccessibleFaults = shouldDeleteInaccessibleFaults
        context.retainsRegisteredObjects = retainsRegisteredObjects
        context.automaticallyMergesChangesFromParent = automaticallyMergesChangesFromParent
    }

    /// The context whose block is running; outside of blocks, one of the main queue in its thread.
    static var current: NSManagedObjectContext? {
        let all = living.withLock { $0.compactMap(\.context) }
        if let queue = ContextQueue.current { return all.first { ObjectIdentifier($0.queue) == queue } }
        return all.first { $0.concurrencyType == .mainQueueConcurrencyType && $0.folio != nil }
    }

    private final class Living: Sendable {
        // Set by the initializer alone; loading a weak reference is safe in any thread.
        nonisolated(unsafe) weak var context: NSManagedObjectContext?

        init(_ context: NSManagedObjectContext) { self.context = context }
    }

    private static let living = Mutex<[Living]>([])

    /// Folio's context. Traps where there is none yet, as Core Data does.
    var required: ManagedObjectContext {
        guard let folio else {
            preconditionFailure(
                "The context has no coordinator: set persistentStoreCoordinator or parent before using it")
        }
        return folio
    }

    func describedEntity(_ entity: EntityDescription) -> NSEntityDescription {
        if let known = entities[entity.index] { return known }
        let found = NSEntityDescription.of(entity, in: required.model)
        entities[entity.index] = found
        return found
    }

    var managedObjectModel: NSManagedObjectModel? { persistentStoreCoordinator?.managedObjectModel }

    func entity(of type: NSManagedObject.Type) -> NSEntityDescription? { managedObjectModel?.entity(of: type) }

    func insertNewObject(of entity: NSEntityDescription) -> NSManagedObject {
        let seed = NSManagedObject.seed(of: entity, in: required)
        let type = ObjectClasses.type(of: seed.entity)
        let object = type.init(seed)
        required.maker.didMake(object)
        return object
    }

    // MARK: What the context works with

    /// The coordinator, of the topmost parent where there is a parent. Set it before using the
    /// context.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { parentContext?.persistentStoreCoordinator ?? coordinator }
        set {
            guard newValue !== coordinator else { return }
            precondition(parentContext == nil, "A context with a parent gets its coordinator from it")
            coordinator = newValue
            if let newValue { adopt(ManagedObjectContext(newValue.folio)) } else { (folio, observations) = (nil, []) }
        }
    }

    /// The context that this one reads from and saves to. Set it before using the context.
    open var parent: NSManagedObjectContext? {
        get { parentContext }
        set {
            guard newValue !== parentContext else { return }
            parentContext = newValue
            coordinator = nil
            guard let newValue else {
                (folio, observations) = (nil, [])
                return
            }
            let above = newValue.required
            newValue.queue.wait { adopt(ManagedObjectContext(parent: above)) }
        }
    }

    // MARK: Settings

    /// A name for the application's use; it is part of the history.
    open var name: String? { didSet { folio?.name = name } }
    /// Free-form values of the application.
    open var userInfo: NSMutableDictionary { ownUserInfo }
    private let ownUserInfo = NSMutableDictionary()
    /// The author of the changes, which a save records in the history.
    open var transactionAuthor: String? { didSet { folio?.transactionAuthor = transactionAuthor } }
    /// The undo manager; nil, the default, for none.
    open var undoManager: UndoManager? { didSet { folio?.undoManager = undoManager } }
    /// The policy for conflicts: an ``NSMergePolicy``. The default is ``NSErrorMergePolicy``.
    open var mergePolicy: Any = NSErrorMergePolicy {
        didSet { folio?.mergePolicy = folioMergePolicy }
    }
    /// Whether changes of the parent, or of others in the coordinator's stores, are merged as they
    /// are saved.
    open var automaticallyMergesChangesFromParent = false {
        didSet { folio?.automaticallyMergesChangesFromParent = automaticallyMergesChangesFromParent }
    }
    /// Whether a fault without an object becomes a deleted object with nil values.
    open var shouldDeleteInaccessibleFaults = true {
        didSet { folio?.shouldDeleteInaccessibleFaults = shouldDeleteInaccessibleFaults }
    }
    /// Whether the context keeps all its objects.
    open var retainsRegisteredObjects = false {
        didSet { folio?.retainsRegisteredObjects = retainsRegisteredObjects }
    }
    /// Whether delete rules run at the end of an event, or only at the save.
    open var propagatesDeletesAtEndOfEvent = true {
        didSet { folio?.propagatesDeletesAtEndOfEvent = propagatesDeletesAtEndOfEvent }
    }
    /// How old cached values may be. There is no cache below contexts here: values are as old as
    /// the object's own reading, whatever this says.
    open var stalenessInterval: TimeInterval = -1

    // MARK: Blocks

    /// Runs a block in the context's queue, later.
    open func perform(_ block: @escaping () -> Void) {
        queue.run { [self] in
            folio?.keys.takeRenamedKeys()
            block()
            folio?.processPendingChanges()
        }
    }

    /// Runs a block in the context's queue, and waits for it.
    open func performAndWait(_ block: () -> Void) { waiting(block) }

    /// Runs a block in the context's queue, waits for it, and returns its result.
    public func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result { try waiting(block) }

    private func waiting<Result>(_ block: () throws -> Result) rethrows -> Result {
        try queue.wait {
            folio?.keys.takeRenamedKeys()
            return try block()
        }
    }

    /// When an asynchronous block runs.
    public enum ScheduledTaskType: Sendable {
        /// At once where the caller is in the context's queue.
        case immediate
        /// After what waits in the queue.
        case enqueued
    }

    /// Runs a block in the context's queue, and returns its result.
    public func perform<Result, Failure: Error>(
        schedule: ScheduledTaskType = .immediate, _ block: @escaping () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure>
        if schedule == .immediate, queue.isCurrent {
            outcome = catching(block)
        } else {
            let unchecked = UncheckedTransfer(block)
            let moved = await withCheckedContinuation { continuation in
                queue.run { [self] in
                    folio?.keys.takeRenamedKeys()
                    let outcome = catching(unchecked.value)
                    folio?.processPendingChanges()
                    continuation.resume(returning: UncheckedTransfer(outcome))
                }
            }
            outcome = moved.value
        }
        return try outcome.get()
    }

    // MARK: Objects

    /// The object with an ID, which may be a fault of an object that there is not.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { own(required.object(with: objectID)) }

    /// The object with an ID, with its values.
    ///
    /// - Throws: An error of Cocoa's domain, `NSManagedObjectReferentialIntegrityError` if there is
    ///   none.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try translatingErrors { own(try required.existingObject(with: objectID)) }
    }

    /// The object with an ID if the context knows it.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        folio?.registeredObject(for: objectID).map { own($0) }
    }

    /// Inserts an object that was made without a context, with the objects that it leads to. Traps
    /// for an object that is saved.
    open func insert(_ object: NSManagedObject) {
        do {
            try required.maker.takeOver(object)
            object.waitingRoom = nil
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Marks an object for deletion.
    open func delete(_ object: NSManagedObject) {
        if !object.isWaiting { required.delete(object) }
    }

    /// Determines the store in which a new object will be saved. Traps for an object that is saved,
    /// and for a store that the coordinator does not have.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        guard let object = object as? NSManagedObject, let attached = store.attached else { return }
        do {
            try required.assign(object, to: attached)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Gives new objects permanent IDs.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        // The parent may have given some of them theirs.
        folio?.keys.takeRenamedKeys()
        try translatingErrors { try required.obtainPermanentIDs(for: objects) }
    }

    /// Discards the cached values of an object, with its changes or without them.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        if !object.isWaiting { required.refresh(object, mergeChanges: flag) }
    }

    /// Makes faults of all objects without changes, and refreshes the others.
    open func refreshAllObjects() { folio?.refreshAllObjects() }

    /// Lets the next save detect whether an object changed in the store although the context does
    /// not change it.
    open func detectConflicts(for object: NSManagedObject) { folio?.detectConflicts(for: object) }

    /// The objects that the context knows.
    open var registeredObjects: Set<NSManagedObject> { own(folio?.registeredObjects) }
    /// The new objects.
    open var insertedObjects: Set<NSManagedObject> { own(folio?.insertedObjects) }
    /// The objects with unsaved changes.
    open var updatedObjects: Set<NSManagedObject> { own(folio?.updatedObjects) }
    /// The objects that are marked for deletion.
    open var deletedObjects: Set<NSManagedObject> { own(folio?.deletedObjects) }
    /// Whether there are unsaved changes.
    open var hasChanges: Bool { folio?.hasChanges ?? false }

    // MARK: Changes

    /// Writes all changes to the store, or to the parent.
    ///
    /// - Throws: An error of Cocoa's domain: for several validation failures,
    ///   `NSValidationMultipleErrorsError` with all under `NSDetailedErrorsKey`.
    open func save() throws {
        guard let folio else { return }
        try translatingErrors(in: folio) { try folio.save() }
    }

    /// Discards all unsaved changes.
    open func rollback() { folio?.rollback() }
    /// Forgets all objects and changes.
    open func reset() { folio?.reset() }
    /// Undoes the last group of changes.
    open func undo() { folio?.undo() }
    /// Redoes the group that was undone last.
    open func redo() { folio?.redo() }
    /// Applies delete rules, closes the undo group, and posts what changed.
    open func processPendingChanges() { folio?.processPendingChanges() }

    /// Merges what another context saved, as its notification says.
    open func mergeChanges(fromContextDidSave notification: Notification) {
        guard let folio else { return }
        folio.mergeChanges(from: Self.changes(of: notification, folio.persistentStoreCoordinator))
    }

    /// Merges changes that no context made into contexts: object IDs, objects or URIs under Core
    /// Data's keys.
    open class func mergeChanges(
        fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        for context in contexts {
            context.performAndWait {
                guard let folio = context.folio else { return }
                folio.mergeChanges(
                    from: SavedChanges(
                        userInfo: folioInfo(changeNotificationData),
                        coordinator: folio.persistentStoreCoordinator))
            }
        }
    }

    /// Does nothing: contexts are used in their queues. It is here for code from before there were
    /// queues.
    open func lock() {}
    /// Does nothing; see ``lock()``.
    open func unlock() {}
}

private func catching<Result, Failure: Error>(_ block: () throws(Failure) -> Result) -> Swift.Result<Result, Failure> {
    do { return .success(try block()) } catch { return .failure(error) }
}
