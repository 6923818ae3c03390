import FileSystem
import Foundation
import SQLiteFile
import SQLiteKit
import TestSupport
import Testing

/// A scan gives what a statement gives, or nothing.
struct TableScanTests {
    private let columns = ["id", "a", "b", "c", "d"]
    private let realColumns: Set = ["c"]
    private var statement: String { "SELECT \(columns.joined(separator: ", ")) FROM t" }

    @Test(arguments: [512, 4_096, 65_536])
    func aScanGivesWhatAStatementGives(pageSize: Int) throws {
        try withDatabase { connection, _ in
            try connection.execute("PRAGMA page_size=\(pageSize)")
            try connection.prepareForEditing()
            try fill(connection, rows: 3_000)
            _ = try connection.checkpoint(.truncate)
            try expectEqual(connection)
        }
    }

    @Test func integersOfEveryWidthAndRealsThatAreStoredAsSuchComeThrough() throws {
        try withDatabase { connection, _ in
            try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, c FLOAT, b)")
            let numbers: [Int64] = [
                0, 1, -1, 127, -128, 128, 32_767, -32_768, 32_768, 8_388_607, -8_388_608, 8_388_608, 1 << 31,
                -(1 << 31), 1 << 47, -(1 << 47) - 1, .max, .min,
            ]
            for number in numbers {
                try connection.run(
                    "INSERT INTO t(a, c, b) VALUES (?, ?, ?)", [.integer(number), .real(Double(number) / 2), .null])
            }
            try connection.run("INSERT INTO t VALUES (?, 1, 0.1, x'')", [.integer(.max)])
            try connection.run("INSERT INTO t VALUES (?, 1, -1e300, '')", [.integer(.min)])
            try expectEqual(connection, columns: ["id", "a", "b", "c"])
        }
    }

    @Test func framesOfTheLogAreSeenAsFarAsTheyAreCommitted() throws {
        try withDatabase { connection, path in
            try connection.prepareForEditing()
            try fill(connection, rows: 500)
            try expectEqual(connection)
            _ = try connection.checkpoint(.truncate)
            // More frames than the first block of the index has.
            for round in 0..<3 { try connection.execute("UPDATE t SET a = a + \(round), d = zeroblob(3000)") }
            try expectEqual(connection)
            let other = try Connection(path, .readWrite)
            try other.execute("BEGIN IMMEDIATE; DELETE FROM t WHERE id % 2 = 0")
            let before = try connection.rows(statement)
            #expect(try scanned(connection) == before)
            try other.execute("COMMIT")
            let after = try connection.rows(statement)
            #expect(after.count < before.count)
            #expect(try scanned(connection) == after)
            // All frames in the main file, the log still there; then the log begun anew by another
            // connection.
            _ = try connection.checkpoint(.full)
            try expectEqual(connection)
            try other.execute("UPDATE t SET b = 'anew'")
            try expectEqual(connection)
            try expectEqual(other)
        }
    }
}

extension TableScanTests {
    @Test func aReaderWithARollbackJournalAndOneWithoutLocksSeeTheSame() throws {
        try withDatabase { connection, path in
            try fill(connection, rows: 300)
            try expectEqual(connection)
            try connection.close()
            try expectEqual(Connection.openForReading(path))
        }
    }

    @Test func columnsThatCameLaterHaveNoValueInOlderRows() throws {
        try withDatabase { connection, _ in
            try fill(connection, rows: 40)
            try connection.execute("ALTER TABLE t ADD COLUMN e INTEGER; INSERT INTO t(a, e) VALUES (1, 2)")
            try expectEqual(connection, columns: ["id", "e", "a"])
            try connection.execute("ALTER TABLE t ADD COLUMN f INTEGER DEFAULT 7")
            #expect(try scanned(connection, columns: ["id", "f"]) == nil)
        }
    }

    @Test func whatIsOutOfTheOrdinaryIsLeftToSQLite() throws {
        try withDatabase { connection, _ in
            try fill(connection, rows: 40)
            try connection.execute("CREATE VIEW v AS SELECT * FROM t")
            #expect(try scanned(connection, table: "v") == nil)
            #expect(try scanned(connection, columns: ["id", "nothing"]) == nil)
            try connection.execute(
                "CREATE TABLE w(id TEXT PRIMARY KEY, a) WITHOUT ROWID; INSERT INTO w VALUES ('x', 1)")
            #expect(try scanned(connection, table: "w", columns: ["a"]) == nil)
            try connection.execute(
                "CREATE TABLE g(id INTEGER PRIMARY KEY, a, b AS (a + 1)); INSERT INTO g(a) VALUES (1)")
            #expect(try scanned(connection, table: "g", columns: ["id", "a"]) == nil)
            // What it has not committed itself.
            try connection.execute("BEGIN; DELETE FROM t")
            #expect(try scanned(connection) == nil)
            try connection.execute("ROLLBACK")
            try expectEqual(connection)
            #expect(!connection.isInTransaction)
        }
        let memory = try Connection.inMemory()
        try fill(memory, rows: 5)
        #expect(try scanned(memory) == nil)
        try withDatabase { connection, _ in
            try connection.execute("PRAGMA encoding='UTF-16'")
            try fill(connection, rows: 5)
            #expect(try scanned(connection) == nil)
        }
    }

    @Test func valuesThatSQLiteWouldConvertEndTheScan() throws {
        try withDatabase { connection, _ in
            try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t(a) VALUES (1), ('12')")
            let sum = try connection.scanning("t", [.named("a")]) { scan in
                var sum: Int64 = 0
                try scan.forEachRow { sum += $0.int64(at: 0) }
                return sum
            }
            #expect(sum == nil)
            let length = try connection.scanning("t", [.named("a")]) { scan in
                var length = 0
                try scan.forEachRow { length += $0.withText(at: 0) { $0.count } }
                return length
            }
            #expect(length == nil)
        }
    }
}

extension TableScanTests {
    /// Every byte of a small table's pages put wrong, one after the other: the scan gives rows or
    /// leaves it to SQLite, and reads nothing that is not the file's.
    @Test func damagedPagesDoNoHarm() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try Connection(path, .create)
            try connection.execute("PRAGMA page_size=512; PRAGMA journal_mode=DELETE")
            try fill(connection, rows: 60)
            try connection.close()
            let whole = try Disk.read(path, limit: 1 << 20)
            var answers = (rows: 0, none: 0)
            for place in stride(from: 512, to: whole.count, by: 61) {
                var damaged = whole
                damaged[place] ^= place % 2 == 0 ? 0xff : 0x81
                let copy = folder.path + "/b\(place)"
                try Data(damaged).write(to: URL(fileURLWithPath: copy))
                let reader = try Connection.openForReading(copy)
                if try scanned(reader) == nil { answers.none += 1 } else { answers.rows += 1 }
                try reader.close()
                try FileManager.default.removeItem(atPath: copy)
            }
            #expect(answers.rows > 0 && answers.none > 0)
        }
    }

    /// Random bytes of a table's pages put wrong: where both the scan and the statement give rows,
    /// these are the same.
    @Test func damageGivesNoOtherRowsThanAStatementGives() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try Connection(path, .create)
            try connection.execute("PRAGMA page_size=1024; PRAGMA journal_mode=DELETE")
            try fill(connection, rows: 80)
            try connection.close()
            let whole = try Disk.read(path, limit: 1 << 20)
            var random = SplitMix(state: 11)
            var compared = 0
            for round in 0..<300 {
                var damaged = whole
                for _ in 0..<(1 + round % 4) {
                    damaged[Int.random(in: 1_024..<whole.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                let copy = folder.path + "/b"
                try Data(damaged).write(to: URL(fileURLWithPath: copy))
                let reader = try Connection.openForReading(copy)
                let rows = try scanned(reader)
                let stated = try? reader.rows(statement)
                if let rows, let stated {
                    compared += 1
                    #expect(rows == stated, "round \(round)")
                }
                try reader.close()
            }
            #expect(compared > 50)
        }
    }
}

extension TableScanTests {
    @Test func whatInterruptsStatementsInterruptsAScan() throws {
        try withDatabase { connection, _ in
            try fill(connection, rows: 2_000)
            var count = 0
            let error = #expect(throws: SQLiteError.self) {
                _ = try connection.scanning("t", [.named("id")]) { scan in
                    try scan.forEachRow { _ in
                        count += 1
                        if count == 1 { connection.interrupter.interrupt() }
                    }
                }
            }
            #expect(error?.code == .interrupted)
            #expect(count > 0)
            try expectEqual(connection)
        }
    }

    @Test func whatIsNoNumberIsLeftToSQLite() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try Connection(path, .create)
            try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, c FLOAT); INSERT INTO t(c) VALUES (0.1)")
            try connection.close()
            var bytes = try Disk.read(path, limit: 1 << 20)
            // The number's last eight bytes stand at the end of the table's page.
            bytes.replaceSubrange((bytes.count - 8)..<bytes.count, with: [0x7f, 0xf8, 0, 0, 0, 0, 0, 1])
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let reader = try Connection.openForReading(path)
            #expect(try reader.rows("SELECT c FROM t") == [[.null]])
            #expect(try scanned(reader, columns: ["id", "c"]) == nil)
            try reader.close()
        }
    }

}

extension TableScanTests {
    private func withDatabase(_ body: (Connection, String) throws -> Void) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try Connection(path, .create)
            try body(connection, path)
            try connection.close()
        }
    }

    /// Rows of all sizes, some with overflow pages, and with gaps between their numbers.
    private func fill(_ connection: Connection, rows: Int) throws {
        var random = SplitMix(state: 7)
        try connection.transaction {
            try connection.execute("CREATE TABLE t(a INTEGER, b VARCHAR, id INTEGER PRIMARY KEY, c FLOAT, d BLOB)")
            for row in 0..<rows {
                let length =
                    row % 37 == 0 ? Int.random(in: 0..<20_000, using: &random) : Int.random(in: 0..<40, using: &random)
                let text = String(repeating: "é", count: length / 2)
                try connection.run(
                    "INSERT INTO t(id, a, b, c, d) VALUES (?, ?, ?, ?, ?)",
                    [
                        .integer(Int64(row) * 3 + 1),
                        row % 5 == 0 ? .null : .integer(Int64(truncatingIfNeeded: random.next()) >> Int64(row % 64)),
                        .text(text),
                        .real(Double(row % 9) / 2),
                        row % 4 == 0 ? .null : .blob([UInt8](repeating: UInt8(row % 256), count: row % 53)),
                    ])
            }
            try connection.execute("DELETE FROM t WHERE id % 11 = 0")
        }
    }

    private func expectEqual(
        _ connection: Connection, columns: [String]? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let columns = columns ?? self.columns
        let expected = try connection.rows("SELECT \(columns.joined(separator: ", ")) FROM t")
        #expect(!expected.isEmpty, sourceLocation: sourceLocation)
        #expect(try scanned(connection, columns: columns) == expected, sourceLocation: sourceLocation)
    }

    private func scanned(_ connection: Connection, table: String = "t", columns: [String]? = nil) throws
        -> [[SQLiteValue]]?
    {
        let columns = columns ?? self.columns
        return try connection.scanning(table, columns.map { .named($0) }) { scan in
            var rows: [[SQLiteValue]] = []
            try scan.forEachRow { row in
                rows.append(columns.indices.map { value(row, $0, isReal: realColumns.contains(columns[$0])) })
            }
            return rows
        }
    }

    /// - Parameter isReal: Whether the column is one of reals: SQLite keeps those without a
    ///   fraction as integers.
    private func value(_ row: RecordCells, _ index: Int, isReal: Bool) -> SQLiteValue {
        switch row.typeNumber(at: index) {
        case 1: return isReal ? .real(row.double(at: index)) : .integer(row.int64(at: index))
        case 2: return .real(row.double(at: index))
        case 3: return .text(row.withText(at: index) { String(decoding: $0, as: UTF8.self) })
        case 4: return .blob(row.withBlob(at: index) { [UInt8]($0) })
        default: return .null
        }
    }
}
