/// The members of one object's to-many relationship, and how they differ from what was saved.
///
/// Members are held: an object keeps what it leads to, be it as rows (``MemberRows``) whose objects
/// come and go. A to-one holds nothing, so owner and members of a one-to-many form no cycle; those
/// of a many-to-many do, until they are refreshed or their context goes.
///
/// Invariants:
/// 1. While it is not loaded, `members` is empty and the relationship is what the store has, plus
///    `added`, less `removed`.
/// 2. Once loaded, `members` is complete and has no member twice.
/// 3. `added` and `removed` have no member in common, and none that `saving` would make redundant.
/// 4. `positions`, while there, has each member, and says where it stands in an unordered list.
/// 5. `rows`, while there, are the members, nothing differs from what was saved, and `made` is
///    empty.
final class MemberList {
    /// Differences by identity of the member.
    typealias ObjectTable = [ObjectIdentifier: ManagedObject]

    struct Difference {
        var added: ObjectTable = [:]
        var removed: ObjectTable = [:]
        /// The members of an ordered relationship as they were saved, from the first change of
        /// order on.
        var committed: ContiguousArray<ManagedObject>?

        var isEmpty: Bool { added.isEmpty && removed.isEmpty && committed == nil }
    }

    let isOrdered: Bool
    private(set) var isLoaded: Bool
    private var made: ContiguousArray<ManagedObject> = []
    /// The members as long as they are rows.
    private(set) var rows: MemberRows?
    private var positions: [ObjectIdentifier: Int]?
    private(set) var changes = Difference()
    /// What a save that is under way is writing.
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

    /// Whether the members that come can stay rows: they are all that there is.
    var takesRows: Bool { !isLoaded && !isOrdered && saving == nil && changes.isEmpty }

    /// Takes the members that the store has, where ``takesRows`` is true.
    func load(_ stored: MemberRows) {
        isLoaded = true
        rows = stored
    }

    /// Takes the members that the store has.
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

    /// Where a member stands. An ordered list is searched from its end, where members come and undo
    /// takes them away again.
    func position(of member: ManagedObject) -> Int? {
        if members.count <= Self.shortList || isOrdered { return members.lastIndex { $0 === member } }
        return knownPositions()[ObjectIdentifier(member)]
    }

    /// Up to this length looking at each member costs less than a table.
    private static let shortList = 16

    private func knownPositions() -> [ObjectIdentifier: Int] {
        if let positions { return positions }
        var positions: [ObjectIdentifier: Int] = [:]
        positions.reserveCapacity(members.count)
        for (position, member) in members.enumerated() { positions[ObjectIdentifier(member)] = position }
        self.positions = positions
        return positions
    }

    /// Adds a member that is not there yet, at the end unless a place is given.
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

    /// Takes a member out.
    /// - Returns: where it stood, 0 if that is not known.
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
            // The order of an unordered relationship means nothing: the last one takes the place,
            // so that removing costs the same in a list of any length.
            let last = members.removeLast()
            if last !== member {
                members[position] = last
                positions?[ObjectIdentifier(last)] = position
            }
            positions?[ObjectIdentifier(member)] = nil
        }
        return position
    }

    /// Puts the same members into another order.
    func reorder(_ ordered: ContiguousArray<ManagedObject>, isTracked: Bool) {
        if isTracked { noteOrder() }
        members = ordered
    }

    private func noteOrder() {
        if isOrdered, isLoaded, changes.committed == nil { changes.committed = members }
    }

    /// Whether the members are others than those that were saved, or in another order.
    var differsFromSaved: Bool {
        if !changes.added.isEmpty || !changes.removed.isEmpty { return true }
        guard let committed = changes.committed else { return false }
        return !committed.elementsEqual(members, by: ===)
    }

    /// The members as they were saved; only for a loaded list.
    var committedMembers: ContiguousArray<ManagedObject> {
        if let committed = changes.committed { return committed }
        var committed = members
        if !changes.added.isEmpty { committed.removeAll { changes.added[ObjectIdentifier($0)] != nil } }
        committed.append(contentsOf: changes.removed.values)
        return committed
    }

    /// Takes members and differences that a merge has worked out.
    func replace(by members: ContiguousArray<ManagedObject>, _ difference: Difference) {
        rows = nil
        made = members
        positions = nil
        changes = difference
    }

    /// The members are complete from here on.
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

    /// What is new or gone is being saved: from here on changes are counted from there.
    func beginSaving() {
        saving = changes
        changes = Difference()
    }

    func finishSaving() {
        saving = nil
    }

    /// What was being saved is not in the store after all.
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
