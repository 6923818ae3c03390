import RowMemory
import Schema
import Storage

/// The changes to the lists of members in one save.
struct MemberEdits {
    private struct Place: Hashable {
        let relation: Int
        let owner: Int64
    }

    /// The changes to one list: whether it is emptied first, then the removed members, then the
    /// added ones, and finally the order of all.
    private struct Edit {
        var isEmptied = false
        var removed: Set<Int64> = []
        var added: [ObjectReference] = []
        var order: [Int64]?
    }

    private let table: any ChangeableTable
    private var edits: [Place: Edit] = [:]
    /// The owner of each member of a relation without inverse, including the changes so far.
    private var freeOwners: [Int: [Int64: Int64]] = [:]

    init(_ table: any ChangeableTable) {
        self.table = table
    }

    mutating func add(_ member: ObjectReference, to owner: Int64, _ relation: Int) {
        edits[Place(relation: relation, owner: owner), default: Edit()].added.append(member)
    }

    mutating func remove(_ member: Int64, from owner: Int64, _ relation: Int) {
        edits[Place(relation: relation, owner: owner), default: Edit()].removed.insert(member)
    }

    mutating func empty(_ owner: Int64, _ relation: Int) {
        edits[Place(relation: relation, owner: owner), default: Edit()].isEmptied = true
    }

    mutating func order(_ members: [Int64], of owner: Int64, _ relation: Int) {
        edits[Place(relation: relation, owner: owner), default: Edit()].order = members
    }

    /// Adds a member that can only have one owner. It is removed from its former owner.
    mutating func move(_ member: ObjectReference, to owner: Int64, _ relation: Int) throws {
        if freeOwners[relation] == nil {
            var owners: [Int64: Int64] = [:]
            for (owner, members) in try table.allLists(of: relation) {
                for member in members { owners[member.key] = owner }
            }
            freeOwners[relation] = owners
        }
        if let former = freeOwners[relation]?[member.key], former != owner {
            let place = Place(relation: relation, owner: former)
            edits[place]?.added.removeAll { $0.key == member.key }
            edits[place, default: Edit()].removed.insert(member.key)
        }
        freeOwners[relation]?[member.key] = owner
        add(member, to: owner, relation)
    }

    /// Removes deleted objects from the lists of relations without inverse, which can only be found
    /// by searching the lists.
    mutating func removeFromFreeLists(_ deleted: [ObjectReference]) throws {
        guard !deleted.isEmpty else { return }
        let shape = table.shape
        for (id, relation) in shape.relations.enumerated() {
            guard case .free = relation.kind else { continue }
            let family = shape.model.entities[relation.destinationIndex].family
            let keys = Set(deleted.filter { family.contains($0.entityIndex) }.map(\.key))
            guard !keys.isEmpty else { continue }
            for (owner, members) in try table.allLists(of: id) {
                for member in members where keys.contains(member.key) { remove(member.key, from: owner, id) }
            }
        }
    }

    /// The resulting lists.
    func lists() throws -> [(relation: Int, owner: Int64, list: [ObjectReference]?)] {
        try edits.map { place, edit in
            var list = try edit.isEmptied ? [] : table.members(of: place.owner, place.relation)
            if !edit.removed.isEmpty { list.removeAll { edit.removed.contains($0.key) } }
            if !edit.added.isEmpty {
                var present = Set(list.map(\.key))
                for member in edit.added where present.insert(member.key).inserted { list.append(member) }
            }
            if let order = edit.order {
                list = Self.ordered(list, by: order)
            } else if !edit.added.isEmpty, !table.shape.relations[place.relation].isOrdered {
                list.sort { ($0.entityIndex, $0.key) < ($1.entityIndex, $1.key) }
            }
            return (place.relation, place.owner, list.isEmpty ? nil : list)
        }
    }

    /// The members in a given order, followed by those that it does not include.
    private static func ordered(_ list: [ObjectReference], by order: [Int64]) -> [ObjectReference] {
        var byKey = Dictionary(list.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let placed = order.compactMap { byKey.removeValue(forKey: $0) }
        return placed + list.filter { byKey[$0.key] != nil }
    }
}
