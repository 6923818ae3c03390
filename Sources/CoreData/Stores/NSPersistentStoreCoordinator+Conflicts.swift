import ObjectGraph
import Schema

extension NSPersistentStoreCoordinator {
    func noteChanges(_ changes: SavedChanges) { savedObjects.note(changes) }

    /// Whether contexts of the coordinator changed an object. In a store that nobody else can
    /// change while it is open, it was they in any case.
    func hasChanged(_ id: ManagedObjectID) -> Bool {
        store(of: id)?.type != NSSQLiteStoreType || savedObjects.contains(id)
    }
}
