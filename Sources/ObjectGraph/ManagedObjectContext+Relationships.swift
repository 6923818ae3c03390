import RowMemory
import Schema
import Storage

// The relationship fixer: whichever end is set, the other end follows at once. Each step changes one end of one object and is recorded by itself, so that undo
// takes back steps and needs no fixer.
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
        if let target = registered(reference) { return target }
        // A new object that is gone: nobody could find it.
        guard reference.key > 0 || parent != nil else { return nil }
        let target = self.object(reference)
        recent.hold(target)
        return target
    }

    /// Sets a to-one relationship and its inverse.
    func setTarget(_ object: ManagedObject, _ relation: EntityShape.Relation, _ target: ManagedObject?) {
        guard object.fireFault() else { return }
        let slot = relation.slot
        let old = object.row.reference(slot)
        let new = target.map { reference(to: $0) }
        if old?.key == new?.key {
            writeReference(object, slot, new)
            return
        }
        if let inverse = relation.inverse, untrackedDepth == 0 {
            if let old, let oldTarget = existingTarget(old) {
                lookAgain(at: oldTarget, inverse, ledToBy: object)
                disconnect(oldTarget, inverse, from: object)
            }
            if let target, target.fireFault() {
                let end = self.relation(target, inverse.index)
                if inverse.isToMany {
                    addMember(target, end, object)
                } else {
                    // The target is taken from whoever had it.
                    if let other = self.target(target, end.slot), other !== object, other.fireFault() {
                        if let inverse = end.inverse { lookAgain(at: other, inverse, ledToBy: target) }
                        if other.row.reference(slot)?.key == target.key { writeReference(other, slot, nil) }
                    }
                    writeReference(target, end.slot, reference(to: object))
                }
            }
        }
        writeReference(object, slot, new)
    }

    /// The object at the other end, filled; nil where it is gone from the store, or deleted: then nothing has to follow.
    private func existingTarget(_ reference: ObjectReference) -> ManagedObject? {
        guard reference.key > 0 || parent != nil || registered(reference) != nil else { return nil }
        let target = object(reference)
        if target.state.contains(.deleted) { return nil }
        if target.state.isFault {
            do { try realise(target) } catch {
                if (error as? GraphError)?.code != .objectNotFound { noteLoadError(error) }
                return nil
            }
        }
        return target
    }

    /// Reads an object again that was read before somebody else made it and `object` lead to each other: what parts them here must part them in the store.
    private func lookAgain(at other: ManagedObject, _ inverse: EntityShape.Inverse, ledToBy object: ManagedObject) {
        guard isStale(other, inverse, ledToBy: object) else { return }
        do { try readAgain([other], inverse, ledToBy: object) } catch { noteLoadError(error) }
    }

    /// Takes `object` out of the other end of one of its relationships.
    func disconnect(_ target: ManagedObject, _ inverse: EntityShape.Inverse, from object: ManagedObject) {
        let end = relation(target, inverse.index)
        if inverse.isToMany {
            removeMember(target, end, object)
        } else if target.row.reference(end.slot)?.key == object.key {
            writeReference(target, end.slot, nil)
        }
    }

    /// Adds to a to-many relationship, at the end unless a place is given, and follows at the other end.
    func add(_ member: ManagedObject, to owner: ManagedObject, _ relation: EntityShape.Relation, at index: Int? = nil) {
        guard owner.fireFault(), member.fireFault() else { return }
        // Adding a member that is there already is no change; only the links of a many-to-many have to be read to know.
        let list = relation.inverse?.isToMany == false && !relation.isOrdered ? self.list(owner, relation) : loadedList(owner, relation)
        if list.contains(member) {
            touch(owner, relation.index)
            return
        }
        switch relation.inverse {
        case .some(let inverse) where !inverse.isToMany && untrackedDepth == 0:
            setTarget(member, self.relation(member, inverse.index), owner)
            if let index, let end = list.position(of: member), end != index {
                var members = list.members
                members.remove(at: end)
                members.insert(member, at: min(index, members.count))
                reorder(owner, relation, members)
            }
        case .some(let inverse) where untrackedDepth == 0:
            addMember(owner, relation, member, at: index)
            let isSame = owner === member && inverse.index == relation.index
            if !isSame { addMember(member, self.relation(member, inverse.index), owner) }
        default: addMember(owner, relation, member, at: index)
        }
    }

    /// Takes out of a to-many relationship, and follows at the other end.
    func remove(_ member: ManagedObject, from owner: ManagedObject, _ relation: EntityShape.Relation) {
        guard owner.fireFault() else { return }
        if let inverse = relation.inverse, !inverse.isToMany, untrackedDepth == 0 {
            guard member.fireFault() else { return }
            let end = self.relation(member, inverse.index)
            guard member.row.reference(end.slot)?.key == owner.key else { return }
            setTarget(member, end, nil)
            return
        }
        guard loadedList(owner, relation).contains(member) else { return }
        removeMember(owner, relation, member)
        if let inverse = relation.inverse, untrackedDepth == 0, member.fireFault(), !(owner === member && inverse.index == relation.index) {
            removeMember(member, self.relation(member, inverse.index), owner)
        }
    }

    /// Makes `members` the members of a to-many relationship, with as few changes as that takes.
    func replaceMembers(of owner: ManagedObject, _ relation: EntityShape.Relation, by members: [ManagedObject]) {
        guard owner.fireFault() else { return }
        let list = loadedList(owner, relation)
        let wanted = Set(members)
        // From the end, where an ordered list gives members away without moving others.
        for member in list.members.reversed() where !wanted.contains(member) { remove(member, from: owner, relation) }
        for member in members { add(member, to: owner, relation) }
        touch(owner, relation.index)
        guard relation.isOrdered else { return }
        var seen: Set<ManagedObject> = []
        let ordered = ContiguousArray(members.filter { seen.insert($0).inserted })
        if !ordered.elementsEqual(list.members, by: ===) { reorder(owner, relation, ordered) }
    }

    // MARK: One end at a time

    func writeReference(_ object: ManagedObject, _ slot: RowSlot, _ reference: ObjectReference?) {
        willWrite(object, slot)
        if let reference { object.row.setReference(reference, slot) } else { object.row.clear(slot) }
    }

    /// Whether differences from the saved state are counted: for objects that the store has.
    private func countsDifferences(_ owner: ManagedObject) -> Bool {
        untrackedDepth == 0 && !owner.state.contains(.inserted)
    }

    func addMember(_ owner: ManagedObject, _ relation: EntityShape.Relation, _ member: ManagedObject, at index: Int? = nil) {
        noteChange(owner, relation.index)
        let list = relation.isOrdered ? loadedList(owner, relation) : self.list(owner, relation)
        touch(owner, relation.index)
        if !owner.state.isFree { log(.memberAdded(owner, property: relation.index, member)) }
        list.add(member, at: index, isTracked: countsDifferences(owner))
    }

    func removeMember(_ owner: ManagedObject, _ relation: EntityShape.Relation, _ member: ManagedObject) {
        noteChange(owner, relation.index)
        let list = relation.isOrdered ? loadedList(owner, relation) : self.list(owner, relation)
        touch(owner, relation.index)
        let index = list.remove(member, isTracked: countsDifferences(owner))
        if !owner.state.isFree { log(.memberRemoved(owner, property: relation.index, member, index: index)) }
    }

    func reorder(_ owner: ManagedObject, _ relation: EntityShape.Relation, _ members: ContiguousArray<ManagedObject>) {
        noteChange(owner, relation.index)
        let list = loadedList(owner, relation)
        touch(owner, relation.index)
        if !owner.state.isFree { log(.reordered(owner, property: relation.index, list.members)) }
        list.reorder(members, isTracked: countsDifferences(owner))
    }

    // MARK: Reading

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
