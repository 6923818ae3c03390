import Foundation
import ObjectGraph
import Schema
import Stack
import Synchronization

/// What a thread does with stores of the application's own.
final class StoreCalls {
    /// Folio's context that asks.
    private weak var context: ManagedObjectContext?
    /// The application's request that is executed, until a store gets it.
    private var request: NSFetchRequest<any NSFetchRequestResult>?
    /// The save that a store is writing.
    private(set) var save: SaveInProgress?

    private static let key = "NSPersistentStore.calls"

    private static var known: StoreCalls? { Thread.current.threadDictionary[key] as? StoreCalls }

    static var current: StoreCalls {
        if let known { return known }
        let new = StoreCalls()
        Thread.current.threadDictionary[key] = new
        return new
    }

    static func note(_ context: ManagedObjectContext) { current.context = context }

    /// Calls code of the application's own store. What it does with other contexts is not taken for
    /// the request that goes on.
    ///
    /// - Throws: ``StoreCallError`` with the error of the application.
    static func calling<Result>(_ body: () throws -> Result) throws -> Result {
        let calls = current, context = calls.context, request = calls.request
        calls.request = nil
        defer { (calls.context, calls.request) = (context, request) }
        do { return try body() } catch { throw StoreCallError(error) }
    }

    /// The context that asks, for the application's own store; a new one of the coordinator where
    /// none does.
    static func asking(_ coordinator: NSPersistentStoreCoordinator?) -> NSManagedObjectContext {
        if let context = current.context, context.parent == nil,
            coordinator == nil || context.persistentStoreCoordinator === coordinator?.folio
        {
            return NSManagedObjectContext.of(context)
        }
        let new = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        new.persistentStoreCoordinator = coordinator
        return new
    }

    // MARK: Fetches

    /// Runs `body`, which executes a request, with the request at hand for stores of the
    /// application's own.
    static func executing<R, Result>(
        _ request: NSFetchRequest<R>, in context: NSManagedObjectContext, _ body: () throws -> Result
    ) throws -> Result {
        guard context.persistentStoreCoordinator?.folio.objectStores != nil else { return try body() }
        let calls = current
        calls.request = request.erased
        defer { calls.request = nil }
        return try body()
    }

    /// The application's request for an entity, which is given once.
    func takeRequest(for entityName: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let request, request.entityName == entityName else { return nil }
        self.request = nil
        return request
    }

    /// The dictionaries that a store of the application's own answers a request with; nil where
    /// they are made of objects: for stores that are no incremental ones, and for several.
    static func dictionaries<R>(of request: NSFetchRequest<R>, _ entityName: String, in context: NSManagedObjectContext)
        throws -> [Any]?
    {
        guard let coordinator = context.persistentStoreCoordinator, coordinator.folio.objectStores != nil else {
            return nil
        }
        let wanted = request.storeUUIDs
        let stores = coordinator.persistentStores.filter { store in
            guard let attached = store.attached, wanted?.contains(attached.identifier) ?? true else { return false }
            let entities = coordinator.folio.managedObjectModel.entities(inConfiguration: attached.configurationName)
            return entities?.contains { $0.name == entityName } ?? false
        }
        guard stores.count == 1, let store = stores[0] as? NSIncrementalStore, let attached = store.attached else {
            return nil
        }
        var top = context
        while let parent = top.parent { top = parent }
        let asked = request.erased
        asked.entity = coordinator.managedObjectModel.entitiesByName[entityName]
        return try coordinator.folio.exclusively(in: attached) {
            let answer = try calling { try store.execute(asked, with: top) }
            guard let rows = BridgedValue.elements(of: answer) else {
                throw CocoaErrors.made(
                    NSPersistentStoreInvalidTypeError,
                    "The store answers a request for dictionaries with a \(type(of: answer))")
            }
            return R.self is NSDictionary.Type
                ? rows.map { row in (row as? [String: Any]).map { $0 as NSDictionary } ?? row } : rows
        }
    }

    // MARK: Saves

    /// Runs `body`, in which a store of the application's own gets the objects of a save.
    func writing<Result>(_ save: SaveInProgress, _ body: () throws -> Result) rethrows -> Result {
        let before = self.save
        self.save = save
        SaveInProgress.count.add(1, ordering: .relaxed)
        defer {
            SaveInProgress.count.subtract(1, ordering: .relaxed)
            self.save = before
        }
        return try body()
    }
}

/// A save that a store of the application's own is writing.
struct SaveInProgress {
    /// The number of such saves in the process.
    static let count = Atomic<Int>(0)

    let context: NSManagedObjectContext
    let inserted: [NSManagedObject]
    let updated: [NSManagedObject]
    let deleted: [NSManagedObject]
    private let changedKeys: [ObjectIdentifier: [String]]

    /// The save of the context that asks; nil if it is not saving, or no context of this module's
    /// is.
    init?(_ coordinator: NSPersistentStoreCoordinator?, store: StoreIdentity) {
        let context = StoreCalls.asking(coordinator)
        guard let folio = context.folio, let objects = folio.saving.objectsBeingSaved else { return nil }
        func own(_ objects: [ManagedObject]) -> [NSManagedObject] {
            objects.compactMap { $0 as? NSManagedObject }.filter { $0.objectID.store == store }
        }
        self.context = context
        (inserted, updated, deleted) = (own(objects.inserted), own(objects.updated), own(objects.deleted))
        var keys = objects.changedKeys
        for object in inserted {
            keys[ObjectIdentifier(object)] = object.modelEntity.properties.filter { !$0.isTransient }.map(\.name)
        }
        changedKeys = keys
    }

    /// The properties of an object that the save under way in this thread writes; nil where none
    /// is.
    static func changedKeys(of object: ManagedObject) -> [String]? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return StoreCalls.current.save?.changedKeys[ObjectIdentifier(object)]
    }
}
