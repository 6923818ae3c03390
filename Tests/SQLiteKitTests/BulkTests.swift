import SQLiteKit
import TestSupport
import Testing

struct BulkTests {
    /// Rows that are there as values.
    final class Rows: RowSource {
        let rows: [[SQLiteValue]]
        var index = -1
        var rewinds = 0
        var failsAt: Int?
        struct Failure: Error {}

        init(_ rows: [[SQLiteValue]], failsAt: Int? = nil) {
            self.rows = rows
            self.failsAt = failsAt
        }
        func rewind() {
            index = -1
            rewinds += 1
        }
        func next() throws -> Bool {
            index += 1
            if index == failsAt { throw Failure() }
            return index < rows.count
        }
        func column(_ column: Int, _ result: SQLResult) { result.set(rows[index][column]) }
    }

    /// Keeps what it takes.
    final class Collector: RowSink {
        var rows: [[SQLiteValue]] = []
        var limit = Int.max
        var failsAt: Int?
        struct Failure: Error {}
        func take(_ row: SQLValues) throws -> Bool {
            if rows.count == failsAt { throw Failure() }
            rows.append((0..<row.count).map { row[$0].value })
            return rows.count < limit
        }
    }

    private let sample: [[SQLiteValue]] = (0..<500).map { index in
        let n = Int64(index)
        return [
            .integer(n), index % 3 == 0 ? .null : .text("text \(n) ü"), .real(Double(n) / 7),
            .blob([UInt8](repeating: UInt8(n % 256), count: index % 40)),
        ]
    }

    private func database() throws -> Connection {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t(k INTEGER PRIMARY KEY, a, b, c)")
        return connection
    }

    @Test func insertingFromASourceEqualsBindingEachRow() throws {
        let plain = try database(), bulk = try database()
        for row in sample { try plain.run("INSERT INTO t VALUES (?,?,?,?)", row) }
        let table = try bulk.rowSourceTable(columns: 4)
        let statement = try bulk.prepare("INSERT INTO t SELECT c0, c1, c2, c3 FROM \(table)")
        try bulk.run(statement, from: Rows(sample))
        #expect(bulk.changes == sample.count)
        #expect(try bulk.rows("SELECT * FROM t") == plain.rows("SELECT * FROM t"))
        // The statement is used again, with other rows.
        try bulk.run(statement, from: Rows([[.integer(1_000), .null, .null, .null]]))
        #expect(try bulk.value("SELECT count(*) FROM t") == .integer(501))
        // Without a source there are no rows.
        try statement.run()
        #expect(try bulk.value("SELECT count(*) FROM t") == .integer(501))
    }

    @Test func updatingFromASourceReadsItOnceAndEqualsBindingEachRow() throws {
        let plain = try database(), bulk = try database()
        for connection in [plain, bulk] {
            for row in sample { try connection.run("INSERT INTO t VALUES (?,?,?,?)", row) }
        }
        let changed: [[SQLiteValue]] = sample.filter { ($0[0].integer ?? 0) % 2 == 0 }.map {
            [$0[0], .text("new"), .null]
        }
        for row in changed { try plain.run("UPDATE t SET a = ?2, b = ?3 WHERE k = ?1", row) }
        let source = Rows(changed)
        let statement = try bulk.prepare(
            "UPDATE t SET a = s.c1, b = s.c2 FROM \(bulk.rowSourceTable(columns: 3)) s WHERE t.k = s.c0")
        try bulk.run(statement, from: source)
        #expect(source.rewinds == 1)
        #expect(bulk.changes == changed.count)
        #expect(try bulk.rows("SELECT * FROM t") == plain.rows("SELECT * FROM t"))
        let deletion = try bulk.prepare("DELETE FROM t WHERE k IN (SELECT c0 FROM \(bulk.rowSourceTable(columns: 1)))")
        try bulk.run(deletion, from: Rows(changed))
        #expect(try bulk.value("SELECT count(*) FROM t") == .integer(250))
    }
}

extension BulkTests {
    @Test func aSourceThatFailsEndsTheStatementWithItsOwnError() throws {
        let connection = try database()
        let statement = try connection.prepare(
            "INSERT INTO t SELECT c0, c1, c2, c3 FROM \(connection.rowSourceTable(columns: 4))")
        #expect(throws: Rows.Failure.self) { try connection.run(statement, from: Rows(sample, failsAt: 100)) }
        #expect(try connection.value("SELECT count(*) FROM t") == .integer(0))
        let twice = sample + [sample[7]]
        let error = #expect(throws: SQLiteError.self) { try connection.run(statement, from: Rows(twice)) }
        #expect(error?.constraint == .primaryKey)
        try connection.run(statement, from: Rows(sample))
        #expect(try connection.value("SELECT count(*) FROM t") == .integer(500))
    }

    @Test func aWideSourceHasAllItsColumns() throws {
        let connection = try Connection.inMemory()
        let row: [SQLiteValue] = (0..<300).map { .integer(Int64($0)) }
        let sum = (0..<300).map { "c\($0)" }.joined(separator: "+")
        try connection.execute("CREATE TABLE t(a)")
        let statement = try connection.prepare(
            "INSERT INTO t SELECT \(sum) FROM \(connection.rowSourceTable(columns: 300))")
        try connection.run(statement, from: Rows([row]))
        #expect(try connection.value("SELECT a FROM t") == .integer(299 * 150))
        _ = try connection.rowSourceTable(columns: 2_000)
    }

    @Test func aSinkTakesWhatStepsGive() throws {
        let connection = try database()
        for row in sample { try connection.run("INSERT INTO t VALUES (?,?,?,?)", row) }
        let sink = Collector()
        try connection.run(connection.prepare("SELECT \(connection.rowSinkFunction())(k, a, b, c) FROM t"), into: sink)
        #expect(sink.rows == sample)
        // The sink keeps the order of an index; a sort of SQLite's own comes after the sink, so
        // such rows are stepped.
        for (order, sorts) in [
            ("k DESC", false), ("length(c), k DESC", true), ("length(c), k DESC LIMIT 10 OFFSET 5", true),
            ("k DESC LIMIT 7", false),
        ] {
            let plain = try connection.prepare("SELECT b, k FROM t WHERE a IS NOT NULL ORDER BY \(order)")
            #expect(try plain.sorts() == sorts)
            let collector = Collector()
            if sorts {
                try connection.step(plain, into: collector)
            } else {
                try connection.run(
                    connection.prepare("SELECT folio_sink(b, k) FROM t WHERE a IS NOT NULL ORDER BY \(order)"),
                    into: collector)
            }
            #expect(try collector.rows == connection.rows(plain.sql))
        }
        let none = Collector()
        try connection.run(connection.prepare("SELECT folio_sink(k) FROM t WHERE 0"), into: none)
        #expect(none.rows.isEmpty)
    }

    @Test func aSinkMayStopOrFail() throws {
        let connection = try database()
        for row in sample { try connection.run("INSERT INTO t VALUES (?,?,?,?)", row) }
        let statement = try connection.prepare(
            "SELECT \(connection.rowSinkFunction())(k) FROM (SELECT k FROM t ORDER BY k DESC)")
        let first = Collector()
        first.limit = 3
        try connection.transaction { try connection.run(statement, into: first) }
        #expect(first.rows == [[.integer(499)], [.integer(498)], [.integer(497)]])
        let failing = Collector()
        failing.failsAt = 2
        #expect(throws: Collector.Failure.self) { try connection.run(statement, into: failing) }
        let all = Collector()
        try connection.run(statement, into: all)
        #expect(all.rows.count == 500)
        #expect(throws: SQLiteError.self) { try statement.run() }
    }
}

extension BulkTests {
    @Test func aSinkMayReadAgain() throws {
        final class Nested: RowSink {
            let connection: Connection
            let inner: Statement
            var sums: [Int] = []
            init(_ connection: Connection) throws {
                self.connection = connection
                inner = try connection.prepare("SELECT folio_sink(k) FROM t WHERE k < ?")
            }
            func take(_ row: SQLValues) throws -> Bool {
                let collector = Collector()
                collector.limit = 4
                try inner.bind(row[0].int64, at: 1)
                try connection.run(inner, into: collector)
                sums.append(collector.rows.count)
                return true
            }
        }
        let connection = try database()
        for row in sample.prefix(6) { try connection.run("INSERT INTO t VALUES (?,?,?,?)", row) }
        let outer = try connection.prepare("SELECT \(connection.rowSinkFunction())(k) FROM t")
        let nested = try Nested(connection)
        try connection.run(outer, into: nested)
        #expect(nested.sums == [0, 1, 2, 3, 4, 4])
    }

    @Test func aDocumentsSchemaReachesNeitherSourceNorSink() throws {
        let connection = try database()
        _ = (try connection.rowSourceTable(columns: 1), try connection.rowSinkFunction())
        try connection.execute(
            "CREATE VIEW source AS SELECT * FROM folio_rows_8; CREATE VIEW sink AS SELECT folio_sink(k) FROM t")
        for view in ["source", "sink"] {
            #expect(throws: SQLiteError.self) { _ = try connection.rows("SELECT * FROM \(view)") }
        }
    }

    @Test func statementsThatOutliveTheirConnectionStillFindNothing() throws {
        var connection: Connection? = try database()
        let insert = try #require(
            try connection.map {
                try $0.prepare("INSERT INTO t SELECT c0, 1, 1, 1 FROM \($0.rowSourceTable(columns: 1))")
            })
        let select = try #require(try connection.map { try $0.prepare("SELECT \($0.rowSinkFunction())(1)") })
        connection = nil
        try insert.run()
        #expect(throws: SQLiteError.self) { try select.run() }
    }
}
