internal import RowMemory
internal import SQLiteStore
internal import Schema
package import Storage

extension DocumentComparison {
    /// Calls a function for each difference, where the second document has other primary keys for
    /// some objects of the first: objects and links are told by the keys of the first. Those with
    /// other keys come last within their entity.
    ///
    /// Of two states of one SQLite store only the rows are read that can differ by their pages.
    package func forEachDifference(
        _ oldSource: any RowStore, _ newSource: any RowStore, numbering: StateNumbering,
        _ body: (ObjectDifference) throws -> Void
    ) throws {
        if numbering.isIdentity {
            return try forEachDifference(oldSource, newSource, in: changedRows(), body)
        }
        for (name, left, right) in entityPairs {
            let properties = ComparedProperty.pairs(left.map { ($0, old) }, right.map { ($0, new) })
            let root = Self.root(right ?? left)
            func cursor(
                _ source: any RowStore, _ store: any StoreBackend, _ entity: EntityDescription?, _ isNew: Bool,
                only number: Int64? = nil
            ) -> RowCursor {
                RowCursor(
                    source, store.identity, entity,
                    members: properties.compactMap { isNew ? $0.new?.memberIndex : $0.old?.memberIndex },
                    after: number.map { $0 - 1 }, batchSize: number == nil ? nil : 1, numbering: isNew ? numbering : nil
                )
            }
            let before = cursor(oldSource, old, left, false), after = cursor(newSource, new, right, true)
            func advance(_ cursor: RowCursor) throws {
                repeat { try cursor.advance() } while cursor.key.map { numbering.differs($0, root: root) } == true
            }
            try advance(before)
            try advance(after)
            while let key = [before.key, after.key].compactMap({ $0 }).min() {
                let rows = (before.key == key ? before : nil, after.key == key ? after : nil)
                try tell(name, key, rows, properties, body)
                if rows.0 != nil { try advance(before) }
                if rows.1 != nil { try advance(after) }
            }
            for number in numbering.names(root: root) {
                var rows: (RowCursor?, RowCursor?)
                if number > 0 {
                    let before = cursor(oldSource, old, left, false, only: number)
                    try before.advance()
                    if before.key == number { rows.0 = before }
                }
                let actual = numbering.actual(number, root: root)
                if numbering.canonical(actual, root: root) == number {
                    let after = cursor(newSource, new, right, true, only: actual)
                    try after.advance()
                    if after.key == actual { rows.1 = after }
                }
                if rows.0 != nil || rows.1 != nil { try tell(name, number, rows, properties, body) }
            }
        }
    }

    /// Nil where all rows have to be compared.
    private func changedRows() throws -> ChangedRows? {
        guard let old = old as? SQLitePersistentStore, let new = new as? SQLitePersistentStore else { return nil }
        return try new.changedRows(since: old)
    }

    private func tell(
        _ entity: String, _ number: Int64, _ rows: (RowCursor?, RowCursor?), _ properties: [ComparedProperty],
        _ body: (ObjectDifference) throws -> Void
    ) throws {
        let change: ObjectDifference.Change = rows.0 == nil ? .added : rows.1 == nil ? .removed : .changed
        let differences = try properties.compactMap { try $0.difference(rows.0, rows.1) }
        guard change != .changed || !differences.isEmpty else { return }
        try body(ObjectDifference(change: change, entity: entity, number: number, properties: differences))
    }

    private static func root(_ entity: EntityDescription?) -> String {
        var entity = entity
        while let parent = entity?.superentity { entity = parent }
        return entity?.name ?? ""
    }
}
