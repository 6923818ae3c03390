/// Rows for SQLite to read: `INSERT INTO t SELECT c0, c1 FROM source` writes them without binding a
/// single value.
///
///     final class Numbers: RowSource {
///         var n: Int64 = 0
///         func rewind() { n = 0 }
///         func next() -> Bool { n += 1; return n <= 1_000 }
///         func column(_ index: Int, _ result: SQLResult) { result.set(n * Int64(index + 1)) }
///     }
///     let table = try connection.rowSourceTable(columns: 2)
///     let insert = try connection.prepare("INSERT INTO t SELECT c0, c1 FROM \(table)")
///     try connection.run(insert, from: Numbers())
///
/// A source is called in the middle of a statement and must not use the connection.
package protocol RowSource: AnyObject {
    /// Goes before the first row. Called first, and again where a statement reads the rows more
    /// than once.
    func rewind()

    /// Goes to the next row; false when there is none. An error ends the statement and comes out of
    /// `run(_:from:)`.
    func next() throws -> Bool

    /// Answers one column of the current row; columns are asked for in any order, and only those
    /// that the statement uses.
    func column(_ index: Int, _ result: SQLResult)
}

/// Takes rows from SQLite: `SELECT folio_sink(a, b) FROM t` hands each row over in one call,
/// without a call per column.
///
/// A sink is called in the middle of a statement; it may run other statements, but not change what
/// the statement reads.
package protocol RowSink: AnyObject {
    /// Takes a row; false ends the statement after it, which is no error. An error ends it and
    /// comes out of `run(_:into:)`.
    func take(_ row: SQLValues) throws -> Bool
    /// Whether a row need not come, by what `rowSkipFunction` was given of it. Called once for a
    /// row that the statement would give.
    func skips(_ row: SQLValues) -> Bool
}

extension RowSink {
    package func skips(_ row: SQLValues) -> Bool { false }
}
