import RowMemory
import Schema
import SQLiteKit
package import Storage

extension StoreSalvager {
    private static let batchSize = 5000

    /// Passes the links of many-to-many relationships between the rows that were read, and the
    /// orders of ordered relationships, in change sets. Call it after `forEachBatch`.
    package func forEachChange(_ body: (ChangeSet) throws -> Void) throws {
        do {
            for (storage, property, join) in StoreSchema(layout).namingSides {
                try readLinks(storage, property, join, body)
            }
            for storage in layout.storedEntities {
                let entity = layout.model.entities[storage.entityIndex]
                for property in entity.properties where property.declaringEntityIndex == entity.index {
                    if case .toMany(let key) = storage.properties[property.index], let order = key.order {
                        try readOrder(entity, property, key, order, body)
                    }
                }
            }
        } catch let error as SQLiteError {
            throw StorageError(error, path: session.path)
        }
    }

    /// The reference to an object that was read; nil for another object.
    private func object(_ key: Int64, declared entityIndex: Int) -> ObjectReference? {
        entities[layout.model.entities[entityIndex].rootIndex]?[key].map { ObjectReference(key: key, entityIndex: $0) }
    }

    private func readLinks(
        _ storage: EntityStorage, _ property: PropertyDescription, _ join: JoinTable, _ body: (ChangeSet) throws -> Void
    ) throws {
        let inverse = layout.model.inverse(of: property)
        let name = "\(layout.model.entities[storage.entityIndex].name).\(property.name)"
        let columns =
            [join.ownerColumn, join.memberColumn].map(SelectStatement.column)
            + [join.memberOrder, join.ownerOrder].map { $0.map(SelectStatement.column) ?? "NULL" }
        var changes = ChangeSet()
        var seen: Set<[Int64]> = []
        var order: [Int64: [(place: Int64, member: ObjectReference)]] = [:], inverseOrder = order
        func take(_ row: Statement) throws {
            let ownerKey = row.int64(at: 1), memberKey = row.int64(at: 2)
            guard let owner = object(ownerKey, declared: storage.entityIndex),
                let member = object(memberKey, declared: join.destinationIndex)
            else {
                return report("links \(ownerKey) with \(memberKey), but not both are there", object: name)
            }
            let pair = join.isReflexive ? [min(ownerKey, memberKey), max(ownerKey, memberKey)] : [ownerKey, memberKey]
            guard seen.insert(pair).inserted else { return }
            changes.links.append(
                ChangeSet.Link(
                    entityIndex: storage.entityIndex, propertyIndex: property.index, owner: ownerKey, member: member,
                    isAdded: true))
            if join.memberOrder != nil, row.typeNumber(at: 3) == CellType.integer {
                order[ownerKey, default: []].append((row.int64(at: 3), member))
            }
            if join.ownerOrder != nil, row.typeNumber(at: 4) == CellType.integer {
                inverseOrder[memberKey, default: []].append((row.int64(at: 4), owner))
            }
            guard changes.links.count >= Self.batchSize else { return }
            try body(changes)
            changes = ChangeSet()
        }
        let root = SelectStatement.rootAlias
        try forEachRow(
            "SELECT \(root).rowid, \(columns.joined(separator: ", ")) FROM \(SQLName.quoted(join.table)) \(root) ORDER BY 1",
            take)
        if !changes.isEmpty { try body(changes) }
        try put(order, storage.entityIndex, property.index, body)
        if let inverse, !join.isReflexive { try put(inverseOrder, inverse.declaringEntityIndex, inverse.index, body) }
    }

    private func forEachRow(_ sql: String, _ body: (Statement) throws -> Void) throws {
        try session.connection.withStatement(sql) { statement in
            while try statement.step() { try body(statement) }
        }
    }

    private func readOrder(
        _ entity: EntityDescription, _ property: PropertyDescription, _ key: ToManyKey, _ order: String,
        _ body: (ChangeSet) throws -> Void
    ) throws {
        let root = SelectStatement.rootAlias
        var orders: [Int64: [(place: Int64, member: ObjectReference)]] = [:]
        let columns = [key.key, order].map(SelectStatement.column).joined(separator: ", ")
        try forEachRow("SELECT \(root).Z_PK, \(columns) FROM \(SQLName.quoted(key.table)) \(root) ORDER BY 1") { row in
            guard row.typeNumber(at: 1) == CellType.integer, row.typeNumber(at: 2) == CellType.integer,
                let member = object(row.int64(at: 0), declared: key.destinationIndex),
                object(row.int64(at: 1), declared: entity.index) != nil
            else { return }
            orders[row.int64(at: 1), default: []].append((row.int64(at: 2), member))
        }
        try put(orders, entity.index, property.index, body)
    }

    private func put(
        _ orders: [Int64: [(place: Int64, member: ObjectReference)]], _ entityIndex: Int, _ propertyIndex: Int,
        _ body: (ChangeSet) throws -> Void
    ) throws {
        var changes = ChangeSet()
        for (owner, members) in orders.sorted(by: { $0.key < $1.key }) {
            let sorted = members.sorted { ($0.place, $0.member.key) < ($1.place, $1.member.key) }.map(\.member)
            changes.orders.append(
                ChangeSet.Order(entityIndex: entityIndex, propertyIndex: propertyIndex, owner: owner, members: sorted))
            guard changes.orders.count >= Self.batchSize else { continue }
            try body(changes)
            changes = ChangeSet()
        }
        if !changes.isEmpty { try body(changes) }
    }
}
