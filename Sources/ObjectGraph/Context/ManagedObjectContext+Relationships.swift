import RowMemory
import Schema
import Storage

// What relationships lead to.
extension ManagedObjectContext {
    func relation(_ object: ManagedObject, _ property: Int) -> EntityShape.Relation {
        guard let relation = shapes[Int(object.entityIndex)].relations[property] else { preconditionFailure("Not a relationship") }
        return relation
    }

    func reference(to object: ManagedObject) -> ObjectReference {
        ObjectReference(key: object.key, entityIndex: Int(object.entityIndex))
    }

    /// The object that a to-one leads to. The object is realised.
    func target(_ object: ManagedObject, _ slot: RowSlot) -> ManagedObject? {
        guard let reference = object.row.reference(slot) else { return nil }
        if let target = registry.registered(reference) { return target }
        // A new object that is gone: nobody could find it.
        guard reference.key > 0 || parent != nil else { return nil }
        let target = registry.object(reference)
        registry.recent.hold(target)
        return target
    }

    /// The list of a to-many relationship, loaded or not. The owner is realised.
    func list(_ owner: ManagedObject, _ relation: EntityShape.Relation) -> MemberList {
        if let list = owner.existingList(relation) { return list }
        // A row without version is one that no store has seen, also while its first save is under way.
        let isNew = owner.row.version == 0 || owner.state.contains(.inserted)
        let list = MemberList(isOrdered: relation.isOrdered, isLoaded: isNew || relation.description.isTransient)
        owner.row.setMembers(list, relation.slot)
        return list
    }

    /// The list of a to-many relationship with its members. The first such list of a fetch brings those of its siblings.
    func loadedList(_ owner: ManagedObject, _ relation: EntityShape.Relation) -> MemberList {
        let list = self.list(owner, relation)
        if !list.isLoaded {
            do { try members.loadLists(of: members.siblings(of: owner, relation), relation) } catch {
                noteLoadError(error)
            }
        }
        return list
    }

    /// The members of a relationship for the application.
    func shownMembers<Member>(of owner: ManagedObject, _ relation: EntityShape.Relation) -> ManagedObjects<Member> {
        // What is observed is known by its object.
        ManagedObjects(loadedList(owner, relation), makesObjects: registrars != nil)
    }
}

extension ManagedObject {
    final func isStanding(on row: Row) -> Bool { slab === row.slab && optionalRow?.isSame(as: row) == true }
}
