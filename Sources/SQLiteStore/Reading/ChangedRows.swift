import Schema
import SQLiteFile
import SQLiteKit
import Storage

/// The rows in which two states of one store can differ, by the pages that differ.
package struct ChangedRows: Sendable, Hashable {
    private var keysByRoot: [Int: Set<Int64>] = [:]

    /// The primary keys in a hierarchy, ascending. Rows that are linked to others may be the same
    /// themselves, where their lists of members can differ.
    /// - Parameter rootIndex: The index of the hierarchy's root entity in the model.
    package func keys(rootIndex: Int) -> [Int64] { keysByRoot[rootIndex, default: []].sorted() }

    fileprivate mutating func insert(_ key: Int64, rootIndex: Int) { keysByRoot[rootIndex, default: []].insert(key) }
}

extension SQLitePersistentStore {
    /// The rows in which this store can differ from another state of it.
    ///
    /// Reads the leaf pages of both stores and compares them as bytes. Nil if that can't be done,
    /// as with other tables or within archives, or if so many pages differ that reading all rows
    /// costs less.
    /// - Throws: What reading the files throws.
    package func changedRows(since base: SQLitePersistentStore) throws -> ChangedRows? {
        guard base !== self, !description.isInMemory, !base.description.isInMemory,
            layout.storedEntities == base.layout.storedEntities
        else { return nil }
        let lookups = RowLookup.byTable(layout)
        let found: ChangedRows?? = try base.withSession { old in
            try withSession { new in
                try old.connection.pages.reading { before in
                    try new.connection.pages.reading { after in
                        try ChangedRows.between((old.connection, before), (new.connection, after), lookups)
                    } ?? nil
                }
            }
        }
        return found ?? nil
    }
}

/// How a column of a table leads to rows.
private struct RowLookup: Hashable {
    /// Nil for the rowid.
    let column: String?
    /// The hierarchy of the row that the column has the key of.
    let rootIndex: Int

    /// What is to be looked up in the rows of each table of a store: the rows themselves, and the
    /// owners whose lists of members they determine.
    static func byTable(_ layout: StoreLayout) -> [String: Set<RowLookup>] {
        var lookups: [String: Set<RowLookup>] = [:]
        for storage in layout.storedEntities {
            let root = layout.model.entities[storage.entityIndex].rootIndex
            lookups[storage.table, default: []].insert(RowLookup(column: nil, rootIndex: root))
            for property in storage.properties {
                switch property {
                case .none, .attribute, .composite, .toOne: break
                case .toMany(let key):
                    lookups[key.table, default: []].insert(RowLookup(column: key.key, rootIndex: root))
                case .manyToMany(let join):
                    lookups[join.table, default: []].insert(RowLookup(column: join.ownerColumn, rootIndex: root))
                    if join.isReflexive {
                        lookups[join.table, default: []].insert(RowLookup(column: join.memberColumn, rootIndex: root))
                    }
                }
            }
        }
        return lookups
    }
}

extension ChangedRows {
    /// In tables with fewer leaves any number of them may differ.
    private static let fewLeaves = 64
    /// The part of a table's leaves that may differ, as a divisor: reading single rows costs more
    /// than reading all of them in order.
    private static let leavesPerDifferentOne = 8

    fileprivate static func between(
        _ old: (connection: Connection, pages: DatabaseState), _ new: (connection: Connection, pages: DatabaseState),
        _ lookups: [String: Set<RowLookup>]
    ) throws -> ChangedRows? {
        var rows = ChangedRows()
        do {
            for (table, wanted) in lookups {
                guard let before = try old.connection.pages.root(of: table),
                    let after = try new.connection.pages.root(of: table),
                    before.definition == after.definition
                else { return nil }
                let difference = try LeafDifference(
                    old.pages, TableLeaves(old.pages, root: before.page), new.pages,
                    TableLeaves(new.pages, root: after.page))
                guard difference.count <= max(fewLeaves, difference.total / leavesPerDifferentOne) else { return nil }
                for (side, leaves) in [(old, difference.old), (new, difference.new)] where !leaves.isEmpty {
                    guard try rows.read(table, wanted, side, leaves) else { return nil }
                }
            }
        } catch is UnsuitedForScan {
            return nil
        }
        return rows
    }

    /// - Returns: False if the rows can't be read from their pages.
    private mutating func read(
        _ table: String, _ wanted: Set<RowLookup>, _ side: (connection: Connection, pages: DatabaseState),
        _ leaves: TableLeaves
    ) throws -> Bool {
        let wanted = Array(wanted)
        guard
            let scan = try side.connection.pages.scan(
                of: table, wanted.map { $0.column.map { .named($0) } ?? .key }, side.pages, leaves)
        else { return false }
        var found: [(key: Int64, root: Int)] = []
        try scan.forEachRow { row in
            for (place, lookup) in wanted.enumerated() where row.typeNumber(at: place) != 5 {
                found.append((row.int64(at: place), lookup.rootIndex))
            }
        }
        for row in found { insert(row.key, rootIndex: row.root) }
        return true
    }
}
