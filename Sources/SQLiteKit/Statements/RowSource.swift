/// Rows for SQLite to read: `INSERT INTO t SELECT c0, c1 FROM source` inserts them without binding
/// a value.
///
///     final class Numbers: RowSource {
///         var n: Int64 = 0
///         func rewind() { n = 0 }
///         func next() -> Bool { n += 1; return n <= 1_000 }
///         func column(_ index: Int, _ result: SQLResult) { result.set(n * Int64(index + 1)) }
///     }
///     let table = try connection.bulk.sourceTable(columns: 2)
///     let insert = try connection.prepare("INSERT INTO t SELECT c0, c1 FROM \(table)")
///     try connection.bulk.run(insert, from: Numbers())
///
/// A source is called during a statement and must not use the connection.
package protocol RowSource: AnyObject {
    /// Moves before the first row. Called first, and again if a statement reads the rows more than
    /// once.
    func rewind()

    /// Moves to the next row; returns false if there is none. An error ends the statement and is
    /// thrown by `BulkExchange.run(_:from:)`.
    func next() throws -> Bool

    /// Sets the value of one column of the current row. Columns are requested in any order, and
    /// only those that the statement uses.
    func column(_ index: Int, _ result: SQLResult)
}

/// Receives rows from SQLite: `SELECT folio_sink(a, b) FROM t` passes each row in one call, without
/// a call for each column.
///
/// A sink is called during a statement. It may run other statements, but must not change the data
/// that the statement reads.
package protocol RowSink: AnyObject {
    /// Receives a row. Returning false ends the statement without an error; an error ends it and is
    /// thrown by `BulkExchange.run(_:into:)`.
    func take(_ row: SQLValues) throws -> Bool
    /// Whether to skip a row, judged by the arguments of `skipFunction`. Called once for each
    /// row that the statement would return.
    func skips(_ row: SQLValues) -> Bool
}

extension RowSink {
    package func skips(_ row: SQLValues) -> Bool { false }
}
