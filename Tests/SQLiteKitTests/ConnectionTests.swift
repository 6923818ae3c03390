import FileSystem
import Dispatch
import Foundation
import Glibc
import SQLiteKit
import Synchronization
import TestSupport
import Testing

struct ConnectionTests {
    @Test func compiledStatementsAreKeptUpToABound() throws {
        let connection = try Connection.inMemory()
        for number in 0..<1_000 { #expect(try connection.value("SELECT \(number)") == .integer(Int64(number))) }
        #expect((1...256).contains(connection.keptStatements))
    }

    @Test func valuesOfEachKindComeBack() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t(a, b, c, d, e, f, g)")
        let values: [SQLiteValue] = [
            .integer(.min), .real(-0.1), .text("añ\u{0}x"), .blob([0, 255]), .null, .text(""), .blob([]),
        ]
        try connection.run("INSERT INTO t VALUES (?,?,?,?,?,?,?)", values)
        #expect(try connection.rows("SELECT * FROM t") == [values])
        #expect(connection.changes == 1)
        #expect(connection.lastInsertRowID == 1)
        try connection.withStatement("SELECT a, c, e FROM t") { statement in
            let hasRow = try statement.step()
            #expect(hasRow)
            #expect(statement.storageClass(at: 0) == .integer)
            #expect(statement.columnName(1) == "c")
            #expect(statement.text(at: 1) == "añ\u{0}x")
            #expect(statement.optionalText(at: 2) == nil)
            #expect(statement.isNull(at: 2))
            #expect(try !statement.step())
        }
    }

    @Test func borrowedTextAndBlobsAreRead() throws {
        let connection = try Connection.inMemory()
        let statement = try connection.prepare("SELECT ?1 || 'x', ?2")
        let text = Array("hello".utf8), blob: [UInt8] = [1, 2, 3]
        try text.withUnsafeBufferPointer { text in
            try blob.withUnsafeBytes { blob in
                try statement.bindBorrowed(text: text, at: 1)
                try statement.bindBorrowed(blob: blob, at: 2)
                #expect(try statement.step())
                #expect(statement.text(at: 0) == "hellox")
                #expect(statement.bytes(at: 1) == [1, 2, 3])
                statement.reset()
                statement.clearBindings()
            }
        }
    }

    @Test func aNestedUseOfOneTextDoesNotDisturbTheOuter() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
        var seen: [Int64] = []
        try connection.withStatement("SELECT a FROM t") { outer in
            while try outer.step() {
                seen.append(outer.int64(at: 0))
                #expect(try connection.value("SELECT a FROM t") == .integer(1))
            }
        }
        #expect(seen == [1, 2, 3])
    }

    @Test func severalStatementsOrNoneAreRefusedWhereOneIsCompiled() throws {
        let connection = try Connection.inMemory()
        for sql in ["SELECT 1; SELECT 2", "", "-- nothing"] {
            let error = #expect(throws: SQLiteError.self) { _ = try connection.prepare(sql) }
            #expect(error?.code == .misuse)
        }
        #expect(try connection.value("SELECT 1 ; \n") == .integer(1))
    }

    @Test func errorsSayTheirKindStatementAndConstraint() throws {
        let connection = try Connection.inMemory()
        try connection.execute(
            "CREATE TABLE t(a PRIMARY KEY, b UNIQUE, c NOT NULL DEFAULT 0, d CHECK (d > 0)); INSERT INTO t VALUES (1, 1, 1, 1)"
        )
        let cases: [(String, SQLiteError.Constraint)] = [
            ("INSERT INTO t VALUES (1, 2, 1, 1)", .primaryKey), ("INSERT INTO t VALUES (2, 1, 1, 1)", .unique),
            ("INSERT INTO t VALUES (2, 2, NULL, 1)", .notNull), ("INSERT INTO t VALUES (2, 2, 1, -1)", .check),
        ]
        for (sql, constraint) in cases {
            let error = #expect(throws: SQLiteError.self) { try connection.run(sql) }
            #expect(error?.code == .constraint)
            #expect(error?.constraint == constraint)
            #expect(error?.sql == sql)
        }
        let error = #expect(throws: SQLiteError.self) { try connection.execute("SELEKT 1") }
        #expect(error?.message.contains("SELEKT") == true)
    }
}

extension ConnectionTests {
    @Test func filesThatAreNoDatabasesAreToldApart() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a.sqlite"
            func code(_ options: OpenOptions) -> SQLiteError.Code? {
                do {
                    _ = try Connection(path, options).rows("SELECT * FROM sqlite_schema")
                    return nil
                } catch { return (error as? SQLiteError)?.code }
            }
            #expect(code(.readWrite) == .cannotOpen)
            try Disk.replaceFile(path, with: Array(String(repeating: "no database ", count: 1000).utf8))
            #expect(code(.readWrite) == .notADatabase)
            try Disk.removeFile(path)
            do {
                let connection = try Connection(path, .create)
                try connection.execute(
                    "CREATE TABLE t(a); INSERT INTO t SELECT hex(randomblob(2000)) FROM (VALUES (1), (2), (3), (4))")
                try connection.close()
            }
            let file = try File(path, .readWrite)
            try [UInt8](repeating: 0xFF, count: 4096).withUnsafeBytes { try file.write($0, at: 4096) }
            file.close()
            let error = #expect(throws: SQLiteError.self) {
                _ = try Connection(path, .readWrite).rows("SELECT * FROM t")
            }
            #expect(error?.code == .corrupt)
        }
    }

    @Test func aTransactionIsUndoneWhereItsBodyThrows() throws {
        struct Stop: Error {}
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t(a)")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.run("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        #expect(!connection.isInTransaction)
        try connection.transaction { try connection.run("INSERT INTO t VALUES (2)") }
        #expect(try connection.rows("SELECT a FROM t ORDER BY a") == [[.integer(2)]])
    }

    @Test func aSecondWriterIsBusy() throws {
        try withTemporaryDirectory { folder in
            var options = OpenOptions.create
            options.busyTimeout = 0
            let first = try Connection(folder.path + "/a", options),
                second = try Connection(folder.path + "/a", options)
            try first.transaction {
                let error = #expect(throws: SQLiteError.self) { try second.transaction {} }
                #expect(error?.code == .busy)
            }
        }
    }

    @Test func aLongStatementIsInterruptedFromOutside() throws {
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        let connection = try Connection.inMemory()
        let interrupter = connection.interrupter
        let running = Mutex(true)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while running.withLock({ $0 }) {
                usleep(2000)
                interrupter.interrupt()
            }
            ended.signal()
        }
        let error = #expect(throws: SQLiteError.self) { _ = try connection.value(endless) }
        running.withLock { $0 = false }
        ended.wait()
        #expect(error?.code == .interrupted)
        let late = #expect(throws: SQLiteError.self) {
            try connection.withDeadline(.milliseconds(20)) { _ = try connection.value(endless) }
        }
        #expect(late?.code == .timedOut)
        #expect(try connection.value("SELECT 1") == .integer(1))
        try connection.close()
        interrupter.interrupt()
    }
}

extension ConnectionTests {
    @Test func closingWithALivingStatementSaysSo() throws {
        let connection = try Connection.inMemory()
        var statement: Statement? = try connection.prepare("SELECT 1")
        _ = try statement?.step()
        let error = #expect(throws: SQLiteError.self) { try connection.close() }
        #expect(error?.code == .busy)
        statement = nil
        try connection.close()
        try connection.close()
    }

    @Test func aStatementMayOutliveItsConnection() throws {
        var connection: Connection? = try .inMemory()
        let statement = try #require(try connection?.prepare("SELECT abs(-9223372036854775808)"))
        connection = nil
        #expect(throws: SQLiteError.self) { try statement.step() }
    }

    @Test func fullDisksAndFailedDevicesAreTold() throws {
        try withTemporaryDirectory { folder in
            let connection = try Connection(folder.path + "/a", .create)
            try connection.prepareForEditing()
            try connection.execute("CREATE TABLE t(a)")
            for (call, fault, code) in [
                (SystemCall.write, Fault.error(ENOSPC), SQLiteError.Code.full), (.write, .error(EIO), .inputOutput),
                (.fsync, .error(EIO), .inputOutput),
                (.write, .short(10), .full),
            ] {
                let error = #expect(throws: SQLiteError.self) {
                    try FaultInjection.with({ seen, path in seen == call && path.hasSuffix("-wal") ? fault : nil }) {
                        try connection.transaction { try connection.run("INSERT INTO t VALUES (1)") }
                    }
                }
                #expect(error?.code == code)
                if case .error(let number) = fault { #expect(error?.systemError == number) }
            }
            #expect(try connection.value("SELECT count(*) FROM t") == .integer(0))
            try connection.run("INSERT INTO t VALUES (2)")
            #expect(try connection.value("PRAGMA integrity_check") == .text("ok"))
        }
    }

    @Test func theLibraryIsJudgedByItsVersion() {
        #expect(SQLiteLibrary.hasWALResetBug(3_040_001))
        #expect(!SQLiteLibrary.hasWALResetBug(3_051_003))
        #expect(!SQLiteLibrary.hasWALResetBug(3_006_023))
        #expect(SQLiteLibrary.version.hasPrefix("3."))
    }

    @Test func aConnectionMayLiveBehindALockOfItsOwner() async throws {
        final class Owner: Sendable {
            private let connection: Mutex<Connection>
            init() throws {
                let connection = try Connection.inMemory()
                try connection.execute("CREATE TABLE t(a)")
                self.connection = Mutex(connection)
            }
            func add(_ value: Int64) throws {
                try connection.withLock { try $0.run("INSERT INTO t VALUES (?)", [.integer(value)]) }
            }
            func sum() throws -> Int64? { try connection.withLock { try $0.value("SELECT sum(a) FROM t")?.integer } }
        }
        let owner = try Owner()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for value in 1...100 { group.addTask { try owner.add(Int64(value)) } }
            try await group.waitForAll()
        }
        #expect(try owner.sum() == 5050)
    }
}
