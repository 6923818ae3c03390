import SQLiteFile
import SQLiteKit
import Storage

extension RecordCells: ResultCells {}

extension StoreSession {
    /// For fewer rows a statement costs less than preparing a scan. Judged by the table's greatest
    /// primary key.
    private static let rowsWorthScanning: Int64 = 1_024

    /// Passes every row of an entity's table to a receiver, including rows of other entities,
    /// without SQLite's bytecode interpreter. Returns nil if that is not possible or not
    /// worthwhile.
    /// - Parameter columns: expressions over the table's columns, as in statements.
    func scan<Receiver: RowReceiver>(_ storage: EntityStorage, _ columns: [String], into makeReceiver: () -> Receiver)
        throws -> Receiver?
    {
        var wanted: [PageReader.Column] = []
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
        return try connection.pages.scanning(storage.table, wanted) { scan in
            let receiver = makeReceiver()
            try scan.forEachRow { receiver.receive($0) }
            return receiver
        }
    }
}

extension SelectStatement {
    /// The column of the requested entity's table if the expression is a plain column; nil for
    /// other expressions.
    static func columnName(_ expression: String) -> String? {
        guard expression.hasPrefix(rootAlias + ".") else { return nil }
        let name = expression.dropFirst(rootAlias.count + 1)
        guard name.first == "\"" else { return name.utf8.allSatisfy { $0 != 0x20 && $0 != 0x28 } ? String(name) : nil }
        let plain = name.dropFirst().dropLast()
        return SQLName.quoted(String(plain)) == name ? String(plain) : nil
    }
}
