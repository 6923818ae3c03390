import RowMemory
import Schema

extension ManagedObjectContext {
    /// The deletions among the changes that would fail a save.
    package func deniedDeletions() throws -> [DeniedDeletion] {
        try keys.obtainPermanentIDsForInsertedObjects()
        return changes.indices.compactMap { index in
            guard let object = changes.object(at: index), object.state.contains(.deleted), !object.state.contains(.inaccessible) else { return nil }
            do { try object.validateForDelete() } catch { return DeniedDeletion(object, ChangeValidator.failures(of: error, object)) }
            return nil
        }
    }

    /// The objects at the other end of a relationship.
    func targets(_ object: ManagedObject, _ relation: EntityShape.Relation) -> [ManagedObject] {
        relation.isToMany ? Array(loadedList(object, relation).members) : [target(object, relation.slot)].compactMap { $0 }
    }
}
