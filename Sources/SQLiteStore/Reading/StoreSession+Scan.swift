import SQLiteFile
import SQLiteKit
import Storage

extension RecordCells: ResultCells {}

extension StoreSession {
    /// Fewer rows cost a statement less than it takes to get ready for a scan. Judged by the
    /// table's last number.
    private static let rowsWorthScanning: Int64 = 1_024

    /// Gives every row of an entity's table to a receiver, whatever its entity, past SQLite's
    /// interpreter; nil where that can't be, or is not worth it.
    /// - Parameter columns: Expressions over the table's columns, as statements have them.
    func scan<Receiver: RowReceiver>(_ storage: EntityStorage, _ columns: [String], into makeReceiver: () -> Receiver)
        throws -> Receiver?
    {
        var wanted: [Connection.ScanColumn] = []
        for column in columns {
            if let name = SelectStatement.columnName(column) {
                wanted.append(.named(name))
            } else if column == "0" {
                wanted.append(.zero)
            } else {
                return nil
            }
        }
        guard !description.isInMemory, archive == nil, !connection.isWriting,
            try connection.value("SELECT max(Z_PK) FROM \(SQLName.quoted(storage.table))")?.integer ?? 0
                > Self.rowsWorthScanning
        else { return nil }
        return try connection.scanning(storage.table, wanted) { scan in
            let receiver = makeReceiver()
            try scan.forEachRow { receiver.receive($0) }
            return receiver
        }
    }
}

extension SelectStatement {
    /// The column of the requested entity's table that an expression is; nil for other expressions.
    static func columnName(_ expression: String) -> String? {
        guard expression.hasPrefix(rootAlias + ".") else { return nil }
        let name = expression.dropFirst(rootAlias.count + 1)
        guard name.first == "\"" else { return name.utf8.allSatisfy { $0 != 0x20 && $0 != 0x28 } ? String(name) : nil }
        let plain = name.dropFirst().dropLast()
        return SQLName.quoted(String(plain)) == name ? String(plain) : nil
    }
}
