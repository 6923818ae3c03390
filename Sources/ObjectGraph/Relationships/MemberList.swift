/// The members of one object's to-many relationship, and their differences from the saved state.
///
/// An object retains the members of its to-many relationships, either as objects or as rows
/// (``MemberRows``) whose objects are created on demand. To-one relationships retain nothing, so a
/// one-to-many relationship creates no retain cycle. A many-to-many relationship does, until its
/// objects are refreshed or the context is released.
///
/// Invariants:
/// 1. While the list is not loaded, `members` is empty, and the relationship consists of the
///    members in the store plus `added` minus `removed`.
/// 2. Once loaded, `members` is complete and has no duplicates.
/// 3. `added` and `removed` are disjoint, and neither repeats a difference in `saving`.
/// 4. `positions`, if not nil, has each member, and its index in an unordered list.
/// 5. `rows`, if not nil, are the members. Then nothing differs from the saved state, and `made` is
///    empty.
final class MemberList {
    /// Members by identity.
    typealias ObjectTable = [ObjectIdentifier: ManagedObject]

    struct Difference {
        var added: ObjectTable = [:]
        var removed: ObjectTable = [:]
        /// The saved members of an ordered relationship, recorded at the first change of the order.
        var committed: ContiguousArray<ManagedObject>?

        var isEmpty: Bool { added.isEmpty && removed.isEmpty && committed == nil }
    }

    let isOrdered: Bool
    private(set) var isLoaded: Bool
    private var made: ContiguousArray<ManagedObject> = []
    /// The members, while they are only rows.
    private(set) var rows: MemberRows?
    private var positions: [ObjectIdentifier: Int]?
    private(set) var changes = Difference()
    /// The differences that a save in progress is writing.
    private(set) var saving: Difference?

    init(isOrdered: Bool, isLoaded: Bool) {
        self.isOrdered = isOrdered
        self.isLoaded = isLoaded
    }

    private(set) var members: ContiguousArray<ManagedObject> {
        get {
            if rows != nil { makeMembers() }
            return made
        }
        _modify {
            if rows != nil { makeMembers() }
            yield &made
        }
    }

    private func makeMembers() {
        guard let rows else { return }
        made = rows.objects
        self.rows = nil
    }

    /// Whether the members to be loaded can remain rows, because there are no differences.
    var takesRows: Bool { !isLoaded && !isOrdered && saving == nil && changes.isEmpty }

    /// Sets the members that were read from the store, if ``takesRows`` is true.
    func load(_ stored: MemberRows) {
        isLoaded = true
        rows = stored
    }

    /// Sets the members that were read from the store, with the differences on top.
    func load(_ stored: ContiguousArray<ManagedObject>) {
        guard !isLoaded else { return }
        isLoaded = true
        if saving == nil && changes.isEmpty {
            members = stored
            return
        }
        var present = Set(stored.map { ObjectIdentifier($0) })
        members = stored
        for difference in [saving, changes].compactMap({ $0 }) {
            if !difference.removed.isEmpty {
                members.removeAll { difference.removed[ObjectIdentifier($0)] != nil }
                for member in difference.removed.keys { present.remove(member) }
            }
            for (id, member) in difference.added where present.insert(id).inserted { members.append(member) }
        }
        if isOrdered { changes.committed = stored }
    }

    func contains(_ member: ManagedObject) -> Bool {
        if isLoaded {
            return members.count <= Self.shortList
                ? members.contains { $0 === member } : knownPositions()[ObjectIdentifier(member)] != nil
        }
        return changes.added[ObjectIdentifier(member)] != nil || saving?.added[ObjectIdentifier(member)] != nil
    }

    /// The index of a member. An ordered list is searched from its end, where members are added,
    /// and removed again by undo.
    func position(of member: ManagedObject) -> Int? {
        if members.count <= Self.shortList || isOrdered { return members.lastIndex { $0 === member } }
        return knownPositions()[ObjectIdentifier(member)]
    }

    /// Up to this length, a linear search costs less than a table.
    private static let shortList = 16

    private func knownPositions() -> [ObjectIdentifier: Int] {
        if let positions { return positions }
        var positions: [ObjectIdentifier: Int] = [:]
        positions.reserveCapacity(members.count)
        for (position, member) in members.enumerated() { positions[ObjectIdentifier(member)] = position }
        self.positions = positions
        return positions
    }

    /// Adds a new member, at the end unless an index is given.
    func add(_ member: ManagedObject, at index: Int? = nil, isTracked: Bool) {
        if isTracked {
            noteOrder()
            if changes.removed.removeValue(forKey: ObjectIdentifier(member)) == nil {
                changes.added[ObjectIdentifier(member)] = member
            }
        }
        guard isLoaded else { return }
        if isOrdered, let index, index < members.count {
            members.insert(member, at: index)
            positions?[ObjectIdentifier(member)] = index
        } else {
            members.append(member)
            positions?[ObjectIdentifier(member)] = members.count - 1
        }
    }

    /// Removes a member.
    /// - Returns: Its index; 0 if the index is unknown.
    func remove(_ member: ManagedObject, isTracked: Bool) -> Int {
        if isTracked {
            noteOrder()
            if changes.added.removeValue(forKey: ObjectIdentifier(member)) == nil {
                changes.removed[ObjectIdentifier(member)] = member
            }
        }
        guard isLoaded, let position = position(of: member) else { return 0 }
        if isOrdered {
            members.remove(at: position)
            positions?[ObjectIdentifier(member)] = nil
        } else {
            // The order of an unordered relationship has no meaning, so the last member fills the
            // gap. Removal then takes constant time.
            let last = members.removeLast()
            if last !== member {
                members[position] = last
                positions?[ObjectIdentifier(last)] = position
            }
            positions?[ObjectIdentifier(member)] = nil
        }
        return position
    }

    /// Changes the order of the members.
    func reorder(_ ordered: ContiguousArray<ManagedObject>, isTracked: Bool) {
        if isTracked { noteOrder() }
        members = ordered
    }

    private func noteOrder() {
        if isOrdered, isLoaded, changes.committed == nil { changes.committed = members }
    }

    /// Whether the members or their order differ from the saved ones.
    var differsFromSaved: Bool {
        if !changes.added.isEmpty || !changes.removed.isEmpty { return true }
        guard let committed = changes.committed else { return false }
        return !committed.elementsEqual(members, by: ===)
    }

    /// The saved members. The list must be loaded.
    var committedMembers: ContiguousArray<ManagedObject> {
        if let committed = changes.committed { return committed }
        var committed = members
        if !changes.added.isEmpty { committed.removeAll { changes.added[ObjectIdentifier($0)] != nil } }
        committed.append(contentsOf: changes.removed.values)
        return committed
    }

    /// Sets the members and differences that a merge has computed.
    func replace(by members: ContiguousArray<ManagedObject>, _ difference: Difference) {
        rows = nil
        made = members
        positions = nil
        changes = difference
    }

    /// Marks the members as complete.
    func noteLoaded() {
        isLoaded = true
    }

    func forgetDifferences() {
        changes = Difference()
        saving = nil
    }

    func rollBack() {
        if isLoaded { members = committedMembers }
        positions = nil
        changes = Difference()
    }

    /// Begins a save of the differences. Later changes are relative to the state that is being
    /// saved.
    func beginSaving() {
        saving = changes
        changes = Difference()
    }

    func finishSaving() {
        saving = nil
    }

    /// Restores the differences of a save that failed, with later changes on top.
    func cancelSaving() {
        guard let saving else { return }
        self.saving = nil
        for (id, member) in saving.added where changes.removed.removeValue(forKey: id) == nil {
            changes.added[id] = member
        }
        for (id, member) in saving.removed where changes.added.removeValue(forKey: id) == nil {
            changes.removed[id] = member
        }
        if let committed = saving.committed { changes.committed = committed }
    }
}
