import RowMemory
import Schema
import SQLiteKit
package import Storage

extension StoreSalvager {
    private static let batchSize = 1000

    /// Passes the readable rows, hierarchy by hierarchy, each primary key once. Rows that can't be
    /// read are added to the findings.
    package func forEachBatch(_ body: (RowBatch) throws -> Void) throws {
        for storage in layout.storedEntities where storage.number == storage.rootNumber {
            do { try readRows(storage, body) } catch let error as SQLiteError {
                throw StorageError(error, path: session.path)
            }
        }
    }

    private func readRows(_ storage: EntityStorage, _ body: (RowBatch) throws -> Void) throws {
        let reader = try session.reader(storage.entityIndex, includingSubentities: true)
        let root = storage.entityIndex, name = layout.model.entities[root].name
        var batch = RowBatch()
        func take(_ row: Statement) throws {
            let key = row.int64(at: 0)
            guard let entity = reader.entityIndex(of: row) else {
                return report(
                    key < 1 ? "the row has a number that is never given out" : "the row is of no entity of the model",
                    object: "\(name)/p\(key)")
            }
            guard entities[root]?[key] == nil else { return report("comes twice", object: "\(name)/p\(key)") }
            reader.append(row, to: &batch)
            note(key, entityIndex: entity, root: root)
            guard batch.count >= Self.batchSize else { return }
            try body(batch)
            batch = RowBatch()
        }
        let columns = reader.columns.joined(separator: ", "),
            table = "\(SQLName.quoted(storage.table)) \(SelectStatement.rootAlias)"
        try session.connection.withStatement("SELECT \(columns) FROM \(table) ORDER BY \(reader.columns[0])") {
            statement in
            while try statement.step() { try take(statement) }
        }
        if !batch.isEmpty { try body(batch) }
    }
}
