import RowMemory
import Schema
import Storage

/// Sets relationships and keeps their inverses consistent. Each step changes one end of one object
/// and is recorded separately, so that undo can reverse the steps without the editor.
struct RelationshipEditor {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Sets a to-one relationship and its inverse.
    func setTarget(_ object: ManagedObject, _ relation: EntityShape.Relation, _ target: ManagedObject?) {
        guard object.fireFault() else { return }
        let slot = relation.slot
        let old = object.row.reference(slot)
        let new = target.map { $0.reference }
        if old?.key == new?.key {
            writeReference(object, slot, new)
            return
        }
        if let inverse = relation.inverse, context.tracker.untrackedDepth == 0 {
            if let old, let oldTarget = existingTarget(old) {
                refetchIfStale(oldTarget, inverse, pointingTo: object)
                disconnect(oldTarget, inverse, from: object)
            }
            if let target, target.fireFault() {
                let end = context.registry.relation(target, inverse.index)
                if inverse.isToMany {
                    addMember(target, end, object)
                } else {
                    // The target must no longer be referred to by its former owner.
                    if let other = context.registry.target(target, end.slot), other !== object, other.fireFault() {
                        if let inverse = end.inverse { refetchIfStale(other, inverse, pointingTo: target) }
                        if other.row.reference(slot)?.key == target.key { writeReference(other, slot, nil) }
                    }
                    writeReference(target, end.slot, object.reference)
                }
            }
        }
        writeReference(object, slot, new)
    }

    /// The object at the other end, with its values; nil if it is deleted or no longer exists in
    /// the store, since then it needs no update.
    private func existingTarget(_ reference: ObjectReference) -> ManagedObject? {
        guard reference.key > 0 || context.parent != nil || context.registry.registered(reference) != nil else {
            return nil
        }
        let target = context.registry.object(reference)
        if target.state.contains(.deleted) { return nil }
        if target.state.isFault {
            do { try context.faults.fulfillFault(target) } catch {
                if (error as? GraphError)?.code != .objectNotFound { context.note(error) }
                return nil
            }
        }
        return target
    }

    /// Reads an object again if it was read before another context related it to `object`.
    /// Otherwise the removal of the relationship here would not be saved at its other end.
    private func refetchIfStale(
        _ other: ManagedObject, _ inverse: EntityShape.Inverse, pointingTo object: ManagedObject
    ) {
        guard isStale(other, inverse, pointingTo: object) else { return }
        do { try readAgain([other], inverse, pointingTo: object) } catch { context.note(error) }
    }

    /// Removes `object` from the inverse of one of its relationships, if it is there.
    func disconnect(_ target: ManagedObject, _ inverse: EntityShape.Inverse, from object: ManagedObject) {
        let end = context.registry.relation(target, inverse.index)
        if inverse.isToMany {
            let list = context.members.list(target, end)
            let isGone =
                list.isLoaded ? !list.contains(object) : list.changes.removed[ObjectIdentifier(object)] != nil
            if !isGone { removeMember(target, end, object) }
        } else if target.row.reference(end.slot)?.key == object.key {
            writeReference(target, end.slot, nil)
        }
    }

    /// Adds an object to a to-many relationship, at the end unless an index is given, and updates
    /// the inverse.
    func add(_ member: ManagedObject, to owner: ManagedObject, _ relation: EntityShape.Relation, at index: Int? = nil) {
        guard owner.fireFault(), member.fireFault() else { return }
        // Adding an existing member is not a change. Only the links of a many-to-many relationship
        // have to be read to find out.
        let list =
            relation.inverse?.isToMany == false && !relation.isOrdered
            ? context.members.list(owner, relation) : context.members.loadedList(owner, relation)
        if list.contains(member) {
            context.tracker.touch(owner, relation.index)
            return
        }
        switch relation.inverse {
        case .some(let inverse) where !inverse.isToMany && context.tracker.untrackedDepth == 0:
            setTarget(member, context.registry.relation(member, inverse.index), owner)
            if let index, let end = list.position(of: member), end != index {
                var members = list.members
                members.remove(at: end)
                members.insert(member, at: min(index, members.count))
                reorder(owner, relation, members)
            }
        case .some(let inverse) where context.tracker.untrackedDepth == 0:
            addMember(owner, relation, member, at: index)
            let isSame = owner === member && inverse.index == relation.index
            if !isSame { addMember(member, context.registry.relation(member, inverse.index), owner) }
        default: addMember(owner, relation, member, at: index)
        }
    }

    /// Removes an object from a to-many relationship, and updates the inverse.
    func remove(_ member: ManagedObject, from owner: ManagedObject, _ relation: EntityShape.Relation) {
        guard owner.fireFault() else { return }
        if let inverse = relation.inverse, !inverse.isToMany, context.tracker.untrackedDepth == 0 {
            guard member.fireFault() else { return }
            let end = context.registry.relation(member, inverse.index)
            guard member.row.reference(end.slot)?.key == owner.key else { return }
            setTarget(member, end, nil)
            return
        }
        guard context.members.loadedList(owner, relation).contains(member) else { return }
        removeMember(owner, relation, member)
        if let inverse = relation.inverse, context.tracker.untrackedDepth == 0, member.fireFault(),
            !(owner === member && inverse.index == relation.index)
        {
            removeMember(member, context.registry.relation(member, inverse.index), owner)
        }
    }

    /// Sets the members of a to-many relationship, with the fewest changes.
    func replaceMembers(of owner: ManagedObject, _ relation: EntityShape.Relation, by members: [ManagedObject]) {
        guard owner.fireFault() else { return }
        let list = context.members.loadedList(owner, relation)
        let wanted = Set(members)
        // Starting at the end, so that removals from an ordered list move no other members.
        for member in list.members.reversed() where !wanted.contains(member) { remove(member, from: owner, relation) }
        for member in members { add(member, to: owner, relation) }
        context.tracker.touch(owner, relation.index)
        guard relation.isOrdered else { return }
        var seen: Set<ManagedObject> = []
        let ordered = ContiguousArray(members.filter { seen.insert($0).inserted })
        if !ordered.elementsEqual(list.members, by: ===) { reorder(owner, relation, ordered) }
    }

    // MARK: Single ends

    func writeReference(_ object: ManagedObject, _ slot: RowSlot, _ reference: ObjectReference?) {
        context.tracker.willWrite(object, slot)
        if let reference { object.row.setReference(reference, slot) } else { object.row.clear(slot) }
    }

    /// Whether differences from the saved state are recorded, which is the case for objects in the
    /// store.
    private func countsDifferences(_ owner: ManagedObject) -> Bool {
        context.tracker.untrackedDepth == 0 && !owner.state.contains(.inserted)
    }

    func addMember(
        _ owner: ManagedObject, _ relation: EntityShape.Relation, _ member: ManagedObject, at index: Int? = nil
    ) {
        context.registry.noteChange(owner, relation.index)
        let list =
            relation.isOrdered ? context.members.loadedList(owner, relation) : context.members.list(owner, relation)
        context.tracker.touch(owner, relation.index)
        if !owner.state.isFree { context.tracker.log(.memberAdded(owner, property: relation.index, member)) }
        list.add(member, at: index, isTracked: countsDifferences(owner))
    }

    func removeMember(_ owner: ManagedObject, _ relation: EntityShape.Relation, _ member: ManagedObject) {
        context.registry.noteChange(owner, relation.index)
        let list =
            relation.isOrdered ? context.members.loadedList(owner, relation) : context.members.list(owner, relation)
        context.tracker.touch(owner, relation.index)
        let index = list.remove(member, isTracked: countsDifferences(owner))
        if !owner.state.isFree {
            context.tracker.log(.memberRemoved(owner, property: relation.index, member, index: index))
        }
    }

    func reorder(_ owner: ManagedObject, _ relation: EntityShape.Relation, _ members: ContiguousArray<ManagedObject>) {
        context.registry.noteChange(owner, relation.index)
        let list = context.members.loadedList(owner, relation)
        context.tracker.touch(owner, relation.index)
        if list.members.elementsEqual(members, by: ===) { return }
        if !owner.state.isFree { context.tracker.log(.reordered(owner, property: relation.index, list.members)) }
        list.reorder(members, isTracked: countsDifferences(owner))
    }

    // MARK: Ends changed by other contexts

    /// Whether an object that `object` refers to does not refer back: it was read before another
    /// context related the two, or after the relationship was changed.
    func isStale(_ other: ManagedObject, _ inverse: EntityShape.Inverse, pointingTo object: ManagedObject) -> Bool {
        guard !inverse.isToMany, other.state.isDisjoint(with: [.inserted, .saving]) else { return false }
        return other.row.reference(context.registry.relation(other, inverse.index).slot)?.key != object.key
    }

    /// Reads stale objects again, so that a save leaves no row in the store that refers to a
    /// deleted object.
    func readAgain(_ stale: [ManagedObject], _ inverse: EntityShape.Inverse, pointingTo object: ManagedObject) throws {
        let rows = try context.faults.storedRows(of: stale.map(\.objectID))
        for other in stale {
            guard let row = rows[other.objectID] else { continue }
            if other.recordIndex < 0 {
                context.merging.takeValues(of: row, other)
            } else if row.reference(context.registry.relation(other, inverse.index).slot)?.key == object.key {
                // Keeps its version, so that the merge policy resolves conflicts of its other
                // changes.
                context.merging.takeReference(inverse.index, of: row, other)
            }
            context.news.refreshed.insert(other)
        }
    }
}
