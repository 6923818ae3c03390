// What accessors that do not throw set: a destination that is not allowed traps.
extension RelationshipEditor {
    /// Sets a to-one relationship and its inverse.
    func setCheckedTarget(_ object: ManagedObject, _ relation: EntityShape.Relation, _ target: ManagedObject?) {
        if let target { check(target, object, relation) }
        setTarget(object, relation, target)
    }

    /// Replaces the members of a to-many relationship.
    func setCheckedMembers(
        _ object: ManagedObject, _ relation: EntityShape.Relation, _ members: ContiguousArray<ManagedObject>
    ) {
        for member in members { check(member, object, relation) }
        replaceMembers(of: object, relation, by: Array(members))
    }

    /// Adds a member to a to-many relationship, at an index if it is ordered.
    func addChecked(
        _ member: ManagedObject, to object: ManagedObject, _ relation: EntityShape.Relation, at index: Int? = nil
    ) {
        check(member, object, relation)
        add(member, to: object, relation, at: index)
    }

    private func check(_ target: ManagedObject, _ object: ManagedObject, _ relation: EntityShape.Relation) {
        do { try PropertyAccess(object).check(target, relation, object.shape) } catch {
            preconditionFailure("\(error)")
        }
    }
}
