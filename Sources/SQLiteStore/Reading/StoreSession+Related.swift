import RowMemory
import Schema
import SQLiteKit
import Storage

extension StoreSession {
    /// The members of a to-many relationship of some owners, in one statement.
    func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws -> RelatedBatch {
        let property = layout.model.entities[entityIndex].properties[propertyIndex]
        let storage = try layout.storage(of: entityIndex).properties[propertyIndex]
        guard !owners.isEmpty, let link = MemberLink(storage) else { return RelatedBatch(members: owners.map { _ in [] }) }

        let destination = try layout.storage(of: link.destinationIndex)
        let reader = try reader(link.destinationIndex, includingSubentities: true)
        var select = SelectStatement(destination)
        select.restrict(to: layout.numbers(of: link.destinationIndex, includingSubentities: true))
        link.join(to: &select)
        select.conditions.append(.key(link.owner, isIn: owners))

        var collector = MemberCollector(owners: owners)
        let isOrdered = property.relationship?.isOrdered ?? false
        let columns = (includingRows ? reader.columns : Array(reader.columns.prefix(3))) + [link.owner, isOrdered ? link.order ?? "NULL" : "NULL"]
        let last = columns.count - 1
        let statement = select.selecting(columns)
        return try connection.withStatement(statement.text) { result in
            try result.bind(statement.arguments)
            var batch = RowBatch()
            var seen: Set<Int64> = []
            while try result.step() {
                let key = result.int64(at: 0)
                let member = destination.sharesTable ? layout.entityIndex(number: result.int64(at: 2)) ?? link.destinationIndex : link.destinationIndex
                collector.add(
                    ObjectReference(key: key, entityIndex: member), owner: result.int64(at: last - 1), position: result.optionalInt64(at: last))
                if includingRows, seen.insert(key).inserted { reader.appendRow(from: result, to: &batch) }
            }
            return RelatedBatch(members: collector.members(of: owners), rows: batch)
        }
    }
}

/// How the members' table says whose they are: `owner` and `order` are expressions, `t0` is the members' table.
private struct MemberLink {
    let destinationIndex: Int
    let owner: String
    let order: String?
    private let table: String?

    init?(_ storage: PropertyStorage) {
        switch storage {
        case .toMany(let key):
            destinationIndex = key.destinationIndex
            owner = SelectStatement.column(key.key)
            order = key.order.map { SelectStatement.column($0) }
            table = nil
        case .manyToMany(let join):
            destinationIndex = join.destinationIndex
            owner = "j.owner"
            order = "j.position"
            let (table, owner, member) = (SQLName.quoted(join.table), SQLName.quoted(join.ownerColumn), SQLName.quoted(join.memberColumn))
            let position = join.memberOrder.map { SQLName.quoted($0) } ?? "NULL"
            var rows = "SELECT \(owner) AS owner, \(member) AS member, \(position) AS position FROM \(table)"
            if join.isReflexive { rows += " UNION SELECT \(member), \(owner), \(position) FROM \(table)" }
            self.table = rows
        case .none, .attribute, .composite, .toOne:
            return nil
        }
    }

    func join(to select: inout SelectStatement) {
        guard let table else { return }
        select.joins.append(SQLFragment("JOIN (\(table)) j ON j.member = \(SelectStatement.rootAlias).Z_PK"))
    }
}

/// Puts members in the order of their relationship.
private struct MemberCollector {
    private struct Member {
        let reference: ObjectReference
        let position: Int64?
    }

    private var membersByOwner: [Int64: [Member]]

    init(owners: [Int64]) {
        membersByOwner = Dictionary(minimumCapacity: owners.count)
    }

    mutating func add(_ reference: ObjectReference, owner: Int64, position: Int64?) {
        membersByOwner[owner, default: []].append(Member(reference: reference, position: position))
    }

    /// By position, those without one last; equal ones by entity and number.
    func members(of owners: [Int64]) -> [[ObjectReference]] {
        owners.map { owner in
            guard let members = membersByOwner[owner] else { return [] }
            return members.sorted { left, right in
                let (a, b) = (left.position ?? .max, right.position ?? .max)
                if a != b { return a < b }
                return (left.reference.entityIndex, left.reference.key) < (right.reference.entityIndex, right.reference.key)
            }.map(\.reference)
        }
    }
}
