import RowMemory
import Schema
import SQLiteKit
import Storage

extension ChangeWriter {
    // MARK: Links

    func write(_ links: [ChangeSet.Link], _ save: inout SaveInProgress) throws {
        guard !links.isEmpty else { return }
        struct Kind: Hashable {
            let entityIndex: Int
            let propertyIndex: Int
            let isAdded: Bool
        }
        var groups: [Kind: [Int64]] = [:]
        for link in links {
            let kind = Kind(entityIndex: link.entityIndex, propertyIndex: link.propertyIndex, isAdded: link.isAdded)
            groups[kind, default: []] += [save.keys.key(link.owner), save.keys.key(link.member.key)]
        }
        // Remove links before adding others.
        for (kind, pairs) in groups.sorted(by: { !$0.key.isAdded && $1.key.isAdded }) {
            switch try session.layout.storage(of: kind.entityIndex).properties[kind.propertyIndex] {
            case .manyToMany(let join):
                if kind.isAdded { try add(pairs, to: join, &save) } else { try remove(pairs, from: join) }
            case .toMany(let key) where key.inverseIndex == nil:
                try set(pairs, key, isAdded: kind.isAdded, &save)
            // Nothing can be removed from a missing table; additions are refused before.
            case .none: continue
            case .attribute, .composite, .toOne, .toMany:
                preconditionFailure(
                    "Only links of relationships without a to-one end are written as links: write the other end's reference"
                )
            }
        }
    }

    private func add(_ pairs: [Int64], to join: JoinTable, _ save: inout SaveInProgress) throws {
        let (table, owner, member) = (
            SQLName.quoted(join.table), SQLName.quoted(join.ownerColumn), SQLName.quoted(join.memberColumn)
        )
        var statement =
            "INSERT OR IGNORE INTO \(table) (\(owner), \(member)) SELECT c0, c1 FROM \(try session.connection.bulk.sourceTable(columns: 2)) s"
        if join.isReflexive {
            statement += " WHERE NOT EXISTS (SELECT 1 FROM \(table) j WHERE j.\(owner) = s.c1 AND j.\(member) = s.c0)"
        }
        try run(statement, pairs)
        for (columns, swaps) in [
            (join.memberOrder.map { OrderedColumns(join, order: $0) }, false),
            (
                join.ownerOrder.map {
                    OrderedColumns(join.reversed(destinationIndex: join.destinationIndex), order: $0)
                }, true
            ),
        ] {
            guard let columns else { continue }
            for start in stride(from: 0, to: pairs.count, by: 2) {
                let (first, second) = (pairs[start], pairs[start + 1])
                save.unordered[columns, default: []].append(
                    swaps ? OrderedPair(owner: second, member: first) : OrderedPair(owner: first, member: second))
            }
        }
    }

    private func remove(_ pairs: [Int64], from join: JoinTable) throws {
        let (table, owner, member) = (
            SQLName.quoted(join.table), SQLName.quoted(join.ownerColumn), SQLName.quoted(join.memberColumn)
        )
        let source = try session.connection.bulk.sourceTable(columns: 2)
        for (first, second) in join.isReflexive ? [("c0", "c1"), ("c1", "c0")] : [("c0", "c1")] {
            try run(
                "DELETE FROM \(table) WHERE rowid IN (SELECT j.rowid FROM \(source) s CROSS JOIN \(table) j "
                    + "ON j.\(owner) = s.\(first) AND j.\(member) = s.\(second))", pairs)
        }
    }

    /// A relationship without an inverse: the member's row has the owner's key. If there are
    /// several owners, the last one is stored.
    private func set(_ pairs: [Int64], _ key: ToManyKey, isAdded: Bool, _ save: inout SaveInProgress) throws {
        let (table, column) = (SQLName.quoted(key.table), SQLName.quoted(key.key))
        let source = try session.connection.bulk.sourceTable(columns: 2)
        let order = key.order.map { ", \(SQLName.quoted($0)) = NULL" } ?? ""
        if isAdded {
            try run("UPDATE \(table) AS t0 SET \(column) = s.c0\(order) FROM \(source) s WHERE t0.Z_PK = s.c1", pairs)
            guard let orderColumn = key.order else { return }
            for start in stride(from: 0, to: pairs.count, by: 2) {
                save.unordered[OrderedColumns(key, order: orderColumn), default: []].append(
                    OrderedPair(owner: pairs[start], member: pairs[start + 1]))
            }
        } else {
            try run(
                "UPDATE \(table) AS t0 SET \(column) = NULL\(order) FROM \(source) s WHERE t0.Z_PK = s.c1 AND t0.\(column) = s.c0",
                pairs)
        }
    }

    private func run(_ statement: String, _ pairs: [Int64]) throws {
        try session.connection.withStatement(statement) {
            try session.connection.bulk.run($0, from: NumberSource(pairs, width: 2))
        }
    }

    // MARK: Orders

    func write(_ orders: [ChangeSet.Order], _ save: inout SaveInProgress) throws {
        for order in orders {
            let members = order.members.map { save.keys.key($0.key) }
            guard let columns = try orderedColumns(entityIndex: order.entityIndex, propertyIndex: order.propertyIndex)
            else { continue }
            try place(members, of: save.keys.key(order.owner), columns)
        }
    }

    /// Nil if the table has no order column, or is missing.
    private func orderedColumns(entityIndex: Int, propertyIndex: Int) throws -> OrderedColumns? {
        switch try session.layout.storage(of: entityIndex).properties[propertyIndex] {
        case .toMany(let key): key.order.map { OrderedColumns(key, order: $0) }
        case .manyToMany(let join): join.memberOrder.map { OrderedColumns(join, order: $0) }
        case .none: nil
        case .attribute, .composite, .toOne: preconditionFailure("Only a to-many relationship has an order")
        }
    }

    private func place(_ members: [Int64], of owner: Int64, _ columns: OrderedColumns) throws {
        let (member, order) = (SQLName.quoted(columns.member), SQLName.quoted(columns.order))
        let (table, ownerColumn) = (SQLName.quoted(columns.table), SQLName.quoted(columns.owner))
        var current: [Int64: Int64] = [:]
        for row in try session.connection.rows(
            "SELECT \(member), \(order) FROM \(table) WHERE \(ownerColumn) = ?", [.integer(owner)])
        {
            if let key = row[0].integer, let number = row[1].integer { current[key] = number }
        }
        for (key, number) in zip(members, OrderNumbers.assign(members.map { current[$0] })) where current[key] != number
        {
            try session.connection.run(
                "UPDATE \(table) SET \(order) = ? WHERE \(member) = ? AND \(ownerColumn) = ?",
                [.integer(number), .integer(key), .integer(owner)])
        }
    }

    /// Records members that were added to an owner with an ordered inverse, in case the save has no
    /// order for them.
    func noteUnordered(
        _ rows: RowBatch, places: [Int], _ plan: WritePlan, _ storage: EntityStorage, _ save: inout SaveInProgress
    ) {
        for (slot, toOne) in plan.orderedKeys {
            guard let order = toOne.order else { continue }
            let columns = OrderedColumns(table: storage.table, toOne, order: order)
            for place in places {
                let row = rows[place]
                guard let owner = row.reference(slot) else { continue }
                save.unordered[columns, default: []].append(
                    OrderedPair(owner: save.keys.key(owner.key), member: save.keys.key(row.key)))
            }
        }
    }

    /// Appends the members for which the save has no order.
    func placeRest(_ save: inout SaveInProgress) throws {
        for (columns, pairs) in save.unordered {
            let (member, order) = (SQLName.quoted(columns.member), SQLName.quoted(columns.order))
            let (table, owner) = (SQLName.quoted(columns.table), SQLName.quoted(columns.owner))
            let greatest = "SELECT max(\(order)) FROM \(table) WHERE \(owner) = ?"
            let statement = "UPDATE \(table) SET \(order) = ? WHERE \(member) = ? AND \(owner) = ? AND \(order) IS NULL"
            // Looked up once for each owner, because an owner may have got a hundred thousand
            // members.
            var last: [Int64: Int64] = [:]
            for pair in pairs {
                let position =
                    try last[pair.owner] ?? session.connection.value(greatest, [.integer(pair.owner)])?.integer
                    ?? OrderNumbers.first - OrderNumbers.step
                try session.connection.run(
                    statement, [.integer(position + OrderNumbers.step), .integer(pair.member), .integer(pair.owner)])
                last[pair.owner] = session.connection.changes > 0 ? position + OrderNumbers.step : position
            }
        }
        save.unordered = [:]
    }
}
