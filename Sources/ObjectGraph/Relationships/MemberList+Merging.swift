extension MemberList {
    /// Applies the unsaved changes of the list to the current members in the store.
    ///
    /// - Parameter keepingOrder: Whether members of an ordered relationship keep their order in
    ///   this context, with new members from the store at the end. If false, they have the store's
    ///   order.
    func rebase(onto stored: ContiguousArray<ManagedObject>, keepingOrder: Bool) {
        let storedIDs = Set(stored.map { ObjectIdentifier($0) })
        var difference = changes
        difference.added = difference.added.filter { !storedIDs.contains($0.key) }
        difference.removed = difference.removed.filter { storedIDs.contains($0.key) }
        var members: ContiguousArray<ManagedObject>
        if isOrdered, isLoaded, keepingOrder, changes.committed != nil {
            members = self.members.filter {
                storedIDs.contains(ObjectIdentifier($0)) || difference.added[ObjectIdentifier($0)] != nil
            }
            let present = Set(members.map { ObjectIdentifier($0) })
            members += stored.filter {
                !present.contains(ObjectIdentifier($0)) && difference.removed[ObjectIdentifier($0)] == nil
            }
        } else {
            members = stored.filter { difference.removed[ObjectIdentifier($0)] == nil }
            let own =
                isLoaded
                ? self.members.filter { difference.added[ObjectIdentifier($0)] != nil }
                : ContiguousArray(difference.added.values)
            members += own
        }
        difference.committed = isOrdered && !members.elementsEqual(stored, by: ===) ? stored : nil
        replace(by: members, difference)
        noteLoaded()
    }

    /// Counts all members as added to the stored members. Called when a new owner is merged into a
    /// stored object.
    func becomeAddition(to stored: ContiguousArray<ManagedObject>) {
        var difference = Difference()
        for member in members { difference.added[ObjectIdentifier(member)] = member }
        replace(by: members, difference)
        rebase(onto: stored, keepingOrder: false)
    }

    /// Sets the members of an owner that is not in the store.
    func becomeNew(_ members: ContiguousArray<ManagedObject>) {
        replace(by: members, Difference())
        noteLoaded()
    }

    /// Adds a member that the store already has, without recording a change.
    func learn(_ member: ManagedObject) {
        let id = ObjectIdentifier(member)
        var difference = changes
        difference.added[id] = nil
        if isLoaded, !contains(member), difference.removed[id] == nil {
            difference.committed?.append(member)
            replace(by: members + [member], difference)
        } else {
            replace(by: members, difference)
        }
    }

    /// Adds a member, and records the addition even if it is contained, because the store no longer
    /// has it.
    func addAgain(_ member: ManagedObject, isTracked: Bool) {
        let id = ObjectIdentifier(member)
        guard contains(member) else { return add(member, isTracked: isTracked) }
        guard isTracked, changes.added[id] == nil, saving?.added[id] == nil else { return }
        var difference = changes
        difference.added[id] = member
        difference.committed?.removeAll { $0 === member }
        replace(by: members, difference)
    }

    /// Removes a member that no longer exists in the store, without recording a change.
    func forget(_ member: ManagedObject) {
        let id = ObjectIdentifier(member)
        var difference = changes
        difference.added[id] = nil
        difference.removed[id] = nil
        difference.committed?.removeAll { $0 === member }
        replace(by: members.filter { $0 !== member }, difference)
    }

    /// Replaces a member by another object for the same stored object.
    func exchange(_ old: ManagedObject, for new: ManagedObject) {
        func exchanged(_ list: ContiguousArray<ManagedObject>) -> ContiguousArray<ManagedObject> {
            let hasBoth = list.contains { $0 === new }
            return ContiguousArray(list.compactMap { $0 === old ? (hasBoth ? nil : new) : $0 })
        }
        var difference = changes
        if difference.added.removeValue(forKey: ObjectIdentifier(old)) != nil {
            difference.added[ObjectIdentifier(new)] = new
        }
        if difference.removed.removeValue(forKey: ObjectIdentifier(old)) != nil {
            difference.removed[ObjectIdentifier(new)] = new
        }
        // In the store, the object is a member already.
        if contains(old), changes.added[ObjectIdentifier(old)] == nil { difference.added[ObjectIdentifier(new)] = nil }
        difference.committed = difference.committed.map(exchanged)
        replace(by: exchanged(members), difference)
    }
}
