import RowMemory
import Schema
import Storage

/// All objects of a store in memory. In-memory, XML and binary stores share this class.
///
/// Invariants:
/// 1. Every member in a list is a row of the table, of the relation's destination or a descendant.
/// 2. Lists of ordered relations have their order, others are sorted by entity and primary key.
///    Empty lists are not stored.
/// 3. An unordered relation of kind `keys` may have no lists: they are built from the rows on
///    demand.
/// 4. A link of a many-to-many relationship is in the lists of both sides.
/// 5. No primary key is assigned twice within a hierarchy.
final class RowTable {
    let shape: TableShape
    let identity: StoreIdentity
    private(set) var hierarchies: [HierarchyRows]
    var numbers: ObjectNumbers
    private var lists: [[Int64: [ObjectReference]]?]
    private(set) var uniques: [UniquenessIndex?]
    /// The members that the file names and that do not exist.
    var lostMembers: [LostMember] = []

    init(_ shape: TableShape, identity: StoreIdentity, numbers: ObjectNumbers.Scope) {
        self.shape = shape
        self.identity = identity
        hierarchies = Array(repeating: HierarchyRows(), count: shape.model.entities.count)
        lists = shape.relations.map { relation in
            if case .keys = relation.kind, !relation.isOrdered { return nil }
            return [:]
        }
        uniques = Array(repeating: nil, count: shape.constraints.count)
        self.numbers = ObjectNumbers(numbers, entityCount: shape.model.entities.count)
    }

    // MARK: Rows

    /// The rows of an entity's hierarchy.
    func hierarchy(of entityIndex: Int) -> HierarchyRows { hierarchies[shape.root(of: entityIndex)] }

    func row(_ key: Int64, entityIndex: Int) -> Row? { hierarchies[shape.root(of: entityIndex)][key] }

    /// Calls `body` with the rows of an entity, in primary key order.
    /// - Parameter key: Only rows with greater keys are included; nil includes all.
    func forEachRow(
        of entityIndex: Int, includingSubentities: Bool, after key: Int64? = nil, _ body: (Row) throws -> Void
    ) rethrows {
        let entity = shape.model.entities[entityIndex]
        let wanted = includingSubentities ? entity.family : entityIndex..<(entityIndex + 1)
        let all = hierarchies[entity.rootIndex]
        if wanted.count == shape.model.entities[entity.rootIndex].family.count {
            return try all.forEach(after: key, body)
        }
        try all.forEach(after: key) { row in if wanted.contains(row.entityIndex) { try body(row) } }
    }

    // MARK: Members

    func members(of owner: Int64, _ relation: Int) -> [ObjectReference] {
        allLists(of: relation)[owner] ?? []
    }

    /// The members of all owners.
    func allLists(of relation: Int) -> [Int64: [ObjectReference]] {
        if let made = lists[relation] { return made }
        let made = listsFromKeys(of: relation)
        lists[relation] = made
        return made
    }

    /// Whether the relation has lists that must be updated.
    func hasLists(_ relation: Int) -> Bool { lists[relation] != nil }

    private func listsFromKeys(of relation: Int) -> [Int64: [ObjectReference]] {
        guard case .keys(let property) = shape.relations[relation].kind else { return [:] }
        let destination = shape.model.entities[shape.relations[relation].destinationIndex]
        let slot = shape.layouts[destination.index].slots[property]
        var made: [Int64: [ObjectReference]] = [:]
        forEachRow(of: destination.index, includingSubentities: true) { row in
            guard let owner = row.reference(slot) else { return }
            made[owner.key, default: []].append(ObjectReference(key: row.key, entityIndex: row.entityIndex))
        }
        if destination.family.count > 1 {
            for owner in made.keys { made[owner]?.sort { ($0.entityIndex, $0.key) < ($1.entityIndex, $1.key) } }
        }
        return made
    }

    // MARK: Changes

    /// Replaces rows and lists, and returns the inverse change.
    func exchange(_ change: TableChange) -> TableChange {
        var inverse = TableChange()
        inverse.rows.reserveCapacity(change.rows.count)
        var unplaced: [Int: [(key: Int64, row: Row)]] = [:]
        for (root, key, row) in change.rows {
            let (old, isPlaced) = hierarchies[root].exchange(row, for: key)
            if !isPlaced, let row { unplaced[root, default: []].append((key, row)) }
            inverse.rows.append((root, key, old))
            for index in uniques.indices { uniques[index]?.exchange(old: old, new: row) }
        }
        for (root, rows) in unplaced {
            let isSorted = zip(rows, rows.dropFirst()).allSatisfy { $0.key < $1.key }
            hierarchies[root].insert(isSorted ? rows : rows.sorted { $0.key < $1.key })
        }
        for (root, slabs) in change.appended { inverse.removed.append((root, hierarchies[root].append(slabs))) }
        for (root, count) in change.removed.reversed() { hierarchies[root].removeLast(count) }
        for (relation, owner, list) in change.lists {
            inverse.lists.append((relation, owner, lists[relation]?[owner]))
            lists[relation]?[owner] = list
        }
        inverse.rows.reverse()
        return inverse
    }

    /// Removes emptied entries. Inverse changes can't be used afterwards.
    func tidy() {
        for root in hierarchies.indices { hierarchies[root].removeEmptyPlaces() }
    }

    /// The index of a constraint, built on demand.
    func uniqueness(_ constraint: Int, of candidates: [Row]) -> UniquenessIndex {
        if let index = uniques[constraint] { return index }
        var index = UniquenessIndex(shape.constraints[constraint])
        forEachRow(of: shape.constraints[constraint].entityIndex, includingSubentities: true) {
            index.exchange(old: nil, new: $0)
        }
        uniques[constraint] = index
        return index
    }

    // MARK: Loading

    /// Loads the rows of a file, which are new and in ascending order of their keys within each
    /// hierarchy.
    func load(_ rows: [(key: Int64, row: Row)], root: Int) {
        hierarchies[root] = hierarchies[root].reserveCapacity(hierarchies[root].count + rows.count)
        hierarchies[root].insert(rows)
        numbers.note(hierarchies[root].greatestKey, root: root)
    }

    /// Loads all rows of an empty hierarchy from a file, in ascending order of their keys.
    func load(_ slabs: ContiguousArray<RowSlab>, root: Int) {
        _ = hierarchies[root].append(slabs)
        numbers.note(hierarchies[root].greatestKey, root: root)
    }

    /// A member that a file names and does not have.
    struct LostMember {
        let owner: Int64
        let relation: Int
        let member: ObjectReference
    }

    /// Notes the members of a list that are not in the table, where the list is made from the rows.
    func noteLost(_ members: [ObjectReference], of owner: Int64, _ relation: Int) {
        let root = shape.model.entities[shape.relations[relation].destinationIndex].rootIndex
        for member in members where hierarchies[root][member.key] == nil {
            lostMembers.append(LostMember(owner: owner, relation: relation, member: member))
        }
    }

    /// Loads the lists of a file; members that are not in the table are noted and left out.
    func load(_ members: [ObjectReference], of owner: Int64, _ relation: Int) {
        let stored = shape.relations[relation]
        let destination = shape.model.entities[stored.destinationIndex]
        var seen: Set<Int64> = []
        var list = members.compactMap { member -> ObjectReference? in
            guard let row = hierarchies[destination.rootIndex][member.key] else {
                lostMembers.append(LostMember(owner: owner, relation: relation, member: member))
                return nil
            }
            guard destination.family.contains(row.entityIndex), seen.insert(member.key).inserted
            else { return nil }
            return ObjectReference(key: member.key, entityIndex: row.entityIndex)
        }
        if !stored.isOrdered { list.sort { ($0.entityIndex, $0.key) < ($1.entityIndex, $1.key) } }
        if lists[relation] == nil { lists[relation] = [:] }
        lists[relation]?[owner] = list.isEmpty ? nil : list
    }

    /// Completes the lists of a relation after all rows are loaded: with links that are only in the
    /// inverse's lists, and with members that are missing in an order.
    func completeLists(of relation: Int) {
        let stored = shape.relations[relation]
        var all: [Int64: [ObjectReference]]
        switch stored.kind {
        case .free: return
        case .keys:
            guard stored.isOrdered else { return }
            all = listsFromKeys(of: relation)
        case .linked(let inverse):
            all = [:]
            let owners = hierarchies[shape.root(of: stored.destinationIndex)]
            for (owner, list) in lists[inverse] ?? [:] {
                guard let row = owners[owner] else { continue }
                let reference = ObjectReference(key: owner, entityIndex: row.entityIndex)
                for member in list { all[member.key, default: []].append(reference) }
            }
        }
        for (owner, members) in all {
            let known = lists[relation]?[owner] ?? []
            let present = Set(known.map(\.key))
            let wanted = Set(members.map(\.key))
            var list = known
            if case .keys = stored.kind { list.removeAll { !wanted.contains($0.key) } }
            let missing = members.filter { !present.contains($0.key) }
            if missing.isEmpty, list.count == known.count { continue }
            list += missing.sorted { ($0.entityIndex, $0.key) < ($1.entityIndex, $1.key) }
            if !stored.isOrdered { list.sort { ($0.entityIndex, $0.key) < ($1.entityIndex, $1.key) } }
            lists[relation]?[owner] = list
        }
        if case .keys = stored.kind {
            for owner in (lists[relation] ?? [:]).keys where all[owner] == nil { lists[relation]?[owner] = nil }
        }
    }
}

/// Rows and lists to replace in a table; nil removes them.
struct TableChange {
    var rows: [(root: Int, key: Int64, row: Row?)] = []
    var lists: [(relation: Int, owner: Int64, list: [ObjectReference]?)] = []
    /// New rows whose keys are greater than all others and ascend. They affect no unique values,
    /// lists or derived values.
    var appended: [(root: Int, slabs: ContiguousArray<RowSlab>)] = []
    /// The number of last rows to remove. Only used in the inverse of a change that appends rows.
    var removed: [(root: Int, count: Int)] = []
}
