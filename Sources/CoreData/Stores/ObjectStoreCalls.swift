import Foundation
import ObjectGraph
import Schema
import Storage

/// Lets the stores of the application's own of a coordinator know which contexts ask them, and make
/// IDs for new objects.
final class ObjectStoreCalls: ObjectStores {
    // Set by the initializer alone; loading a weak reference is safe in any thread.
    nonisolated(unsafe) private weak var coordinator: NSPersistentStoreCoordinator?

    init(_ coordinator: NSPersistentStoreCoordinator) { self.coordinator = coordinator }

    func willAsk(_ context: ManagedObjectContext) { StoreCalls.note(context) }

    func identify(_ objects: [ManagedObject], in context: ManagedObjectContext) throws {
        guard let coordinator else { return }
        var groups: [(store: NSPersistentStore, objects: [NSManagedObject])] = []
        for object in objects {
            guard let object = object as? NSManagedObject else { continue }
            let uuid = try context.assignment.storeUUID(ofNew: object)
            if let place = groups.firstIndex(where: { $0.store.attached?.identifier == uuid }) {
                groups[place].objects.append(object)
            } else if let store = coordinator.persistentStores.first(where: { $0.attached?.identifier == uuid }) {
                groups.append((store, [object]))
            }
        }
        for (store, objects) in groups where store.isCustom {
            if store.isReadOnly {
                throw StorageError(.readOnly, "The store is open for reading only", path: store.url?.path)
            }
            let ids: [ManagedObjectID] = try StoreCalls.calling {
                if let store = store as? NSIncrementalStore { return try store.obtainPermanentIDs(for: objects) }
                guard let store = store as? NSAtomicStore else { return [] }
                return objects.map {
                    store.objectID(for: $0.entity, withReferenceObject: store.newReferenceObject(for: $0))
                }
            }
            let pairs = Array(zip(objects, ids))
            let references = store.knownReferences
            guard ids.count == objects.count,
                pairs.allSatisfy({
                    $1.store == references.identity && $1.key > 0 && $1.entityIndex == $0.modelEntity.index
                })
            else {
                throw CocoaErrors.made(
                    NSPersistentStoreOperationError,
                    "The store gave \(ids.count) IDs for \(objects.count) new objects, or IDs of others")
            }
            references.addFresh(ids)
            try context.keys.assignPermanentIDs(pairs.map { ($0, $1) })
        }
    }
}
