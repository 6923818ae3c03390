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
        if object.recordIndex < 0 { recorder.record(object) }
        pendingDeletions.append(object)
    }
}
