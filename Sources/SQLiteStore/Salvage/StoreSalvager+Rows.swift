import RowMemory
import Schema
import SQLiteKit
package import Storage

extension StoreSalvager {
    private static let batchSize = 1000

    /// Hands out the rows that can be read, hierarchy by hierarchy, each number once; what can't be read is among the findings afterwards.
    package func forEachBatch(_ body: (RowBatch) throws -> Void) throws {
        for storage in layout.storedEntities where storage.number == storage.rootNumber {
            do { try readRows(storage, body) } catch let error as SQLiteError { throw StorageError(error, path: session.path) }
        }
    }

    private func readRows(_ storage: EntityStorage, _ body: (RowBatch) throws -> Void) throws {
        let reader = try session.reader(storage.entityIndex, includingSubentities: true)
        let root = storage.entityIndex, name = layout.model.entities[root].name
        var batch = RowBatch()
        func take(_ row: Statement) throws {
            let key = row.int64(at: 0)
            guard let entity = reader.entityIndex(of: row) else {
                return report(key < 1 ? "the row has a number that is never given out" : "the row is of no entity of the model", object: "\(name)/p\(key)")
            }
            guard entities[root]?[key] == nil else { return report("comes twice", object: "\(name)/p\(key)") }
            reader.append(row, to: &batch)
            note(key, entityIndex: entity, root: root)
            guard batch.count >= Self.batchSize else { return }
            try body(batch)
            batch = RowBatch()
        }
        let scan = TableScan(
            connection: session.connection, table: "\(SQLName.quoted(storage.table)) \(SelectStatement.rootAlias)", key: reader.columns[0],
            columns: Array(reader.columns.dropFirst()), highest: highest(storage))
        let lost = try scan.run(receive: take) { try readCells($0, storage, reader, take) }
        if !batch.isEmpty { try body(batch) }
        for range in lost { report("the rows \(Self.text(range)) can't be read", object: name) }
    }

    static func text(_ range: ClosedRange<Int64>) -> String {
        range.upperBound == .max ? "from \(range.lowerBound) on" : range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }

    private func highest(_ storage: EntityStorage) -> Int64? {
        let value = try? session.connection.value("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(storage.rootNumber)])
        return value?.integer.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Reads a row whose cells can't be read all, cell by cell.
    private func readCells(_ key: Int64, _ storage: EntityStorage, _ reader: RowReader, _ take: (Statement) throws -> Void) throws {
        let from = " FROM \(SQLName.quoted(storage.table)) \(SelectStatement.rootAlias) NOT INDEXED WHERE \(reader.columns[0]) = ?"
        func isReadable(_ columns: [String]) -> Bool {
            (try? session.connection.rows("SELECT " + columns.joined(separator: ", ") + from, [.integer(key)])) != nil
        }
        let name = layout.model.entities[storage.entityIndex].name
        let header = Array(reader.columns.prefix(RowReader.headerCount))
        guard isReadable(header) else { return report("can't be read", object: "\(name)/p\(key)") }
        let names = columnNames(storage)
        var columns = header
        for column in reader.columns.dropFirst(RowReader.headerCount) {
            let isGood = isReadable([column])
            columns.append(isGood ? column : "NULL")
            if !isGood, let property = names[column] { report("\(property) can't be read", object: "\(name)/p\(key)") }
        }
        try session.connection.withStatement("SELECT " + columns.joined(separator: ", ") + from) { statement in
            try statement.bind([.integer(key)])
            if try statement.step() { try take(statement) }
        }
    }

    /// The properties of a hierarchy by the expressions that read them.
    private func columnNames(_ root: EntityStorage) -> [String: String] {
        var names: [String: String] = [:]
        for storage in layout.storedEntities where storage.rootNumber == root.number {
            for (property, place) in zip(layout.model.entities[storage.entityIndex].properties, storage.properties) {
                switch place {
                case .attribute(let column): names[SelectStatement.column(column.name)] = property.name
                case .composite(let leaves): for leaf in leaves { names[SelectStatement.column(leaf.column.name)] = property.name }
                case .toOne(let columns): names[SelectStatement.column(columns.key)] = property.name
                case .none, .toMany, .manyToMany: break
                }
            }
        }
        return names
    }
}
