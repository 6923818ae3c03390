import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Marks an object as deleted. Its relationships' delete rules run at ``processPendingChanges()`` or at the save, which removes it from the store.
    ///
    /// An object that was never saved is just forgotten. Traps if the object is of another context.
    public func delete(_ object: ManagedObject) {
        guard let context = object.managedObjectContext else { return }
        precondition(context === self, "An object is deleted by its own context")
        object.prepareForDeletion()
        markDeleted(object)
    }

    func markDeleted(_ object: ManagedObject) {
        guard !object.state.contains(.deleted) else { return }
        noteChange(object, -1)
        if object.state.isFree { object.state.insert(.unannounced) }
        object.state.insert(.deleted)
        object.state.remove([.updated, .free])
        if object.recordIndex < 0 { record(object) }
        pendingDeletions.append(object)
    }

    /// Whether an object that `object` leads to does not lead back: it was read before somebody else made it lead there, or after it was made to lead elsewhere.
    func isStale(_ other: ManagedObject, _ inverse: EntityShape.Inverse, ledToBy object: ManagedObject) -> Bool {
        guard !inverse.isToMany, other.state.isDisjoint(with: [.inserted, .saving]) else { return false }
        return other.row.reference(relation(other, inverse.index).slot)?.key != object.key
    }

    /// Stale objects as the store has them, so that none is left there that leads to an object that is gone.
    func readAgain(_ stale: [ManagedObject], _ inverse: EntityShape.Inverse, ledToBy object: ManagedObject) throws {
        let rows = try storedRows(of: stale.map(\.objectID))
        for other in stale {
            guard let row = rows[other.objectID] else { continue }
            if other.recordIndex < 0 {
                merging.takeValues(of: row, other)
            } else if row.reference(relation(other, inverse.index).slot)?.key == object.key {
                // Its other changes are for the merge policy to settle: it keeps its version.
                merging.takeReference(inverse.index, of: row, other)
            }
            news.refreshed.insert(other)
        }
    }
}
