import FileSystem
import Foundation
import Glibc
import SQLiteKit
import TestSupport
import Testing

/// Reading without a trace: nothing near the database is written, made or removed.
struct ReadingTests {
    /// Every row of every table, as text.
    private func content(_ connection: Connection) throws -> [String: [[SQLiteValue]]] {
        var tables: [String: [[SQLiteValue]]] = [:]
        for row in try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            let name = row[0].text ?? ""
            tables[name] = try connection.rows("SELECT * FROM \"\(name)\" ORDER BY rowid")
        }
        return tables
    }

    /// Names, bytes and times of all that stands in a folder.
    private func snapshot(_ folder: String) throws -> [String: [Int]] {
        var items: [String: [Int]] = [:]
        for entry in try Disk.list(folder) where entry.kind == .file {
            let path = folder + "/" + entry.name
            let identity = try #require(try Disk.identity(of: path))
            items[entry.name] = [
                Int(identity.inode), Int(identity.modified), try Disk.read(path, limit: 1 << 28).hashValue,
            ]
        }
        return items
    }

    private func copy(_ store: String, to folder: String, suffixes: [String]) throws -> String {
        try Disk.makeDirectory(folder)
        for suffix in suffixes where try Disk.exists(store + suffix) {
            try Disk.copyFile(store + suffix, to: folder + "/store" + suffix)
        }
        return folder + "/store"
    }

    /// What plain SQLite sees, in a copy that it may write to.
    private func expected(_ store: String, in folder: String) throws -> [String: [[SQLiteValue]]] {
        let path = try copy(store, to: folder, suffixes: ["", "-wal"])
        _ = chmod(path, 0o644)
        for suffix in ["", "-wal"] { _ = chmod(path + suffix, 0o644) }
        return try content(Connection(path, .readWrite))
    }

    private func stores() throws -> [String] {
        let corpus = try #require(corpus)
        let walker = try #require(FileManager.default.enumerator(atPath: corpus.path))
        return walker.compactMap { $0 as? String }.filter { $0.hasSuffix(".sqlite") }.sorted().map {
            corpus.path + "/" + $0
        }
    }

    /// A reader is refused as one that can't write while a writer sets up the shared index. The
    /// writer may have closed, and left the files as they were, before anybody looks.
    @Test(arguments: [1, 2, 5]) func aRefusalToWriteIsOfOthers(kind: Int32) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/store"
            let connection = try Connection(path, .create)
            try connection.execute("CREATE TABLE T (x)")
            try connection.close()
            let reader = try Connection.openForReading(path)
            defer { try? reader.close() }
            #expect(
                reader.isOfOthers(
                    SQLiteError(
                        .readOnly, extendedCode: 8 | kind << 8, message: "attempt to write a readonly database",
                        path: path)))
            #expect(!reader.isOfOthers(SQLiteError(.corrupt, message: "malformed", path: path)))
        }
    }

    @Test func ofADamagedWALIsReadWhatSQLiteWouldRecover() throws {
        try withTemporaryDirectory { folder in
            let store = folder.path + "/original"
            let writer = try Connection(store, .create)
            try writer.prepareForEditing()
            try writer.execute("CREATE TABLE t(a)")
            _ = try writer.checkpoint(.truncate)
            for number in 0..<4 { try writer.run("INSERT INTO t VALUES (?)", [.integer(Int64(number))]) }
            try writer.close()
            let wal = try Disk.read(store + "-wal", limit: 1 << 20)
            // The header's magic, salt and sum, the first frame's header and page, a page in the
            // middle, the last one; and a WAL that was cut off.
            for place in [0, 17, 25, 33, 32 + 24 + 100, wal.count / 2, wal.count - 10, -20, -5000] {
                let path = try copy(store, to: folder.path + "/\(place)", suffixes: [""])
                var damaged = wal
                if place < 0 { damaged.removeLast(-place) } else { damaged[place] ^= 0x10 }
                try Disk.replaceFile(path + "-wal", with: damaged)
                let truth = try expected(path, in: folder.path + "/\(place).truth")
                let before = try snapshot(folder.path + "/\(place)")
                #expect(try content(Connection.openForReading(path)) == truth, "damage at \(place)")
                #expect(try snapshot(folder.path + "/\(place)") == before)
            }
        }
    }
}

extension ReadingTests {
    @Test(.enabled(if: corpus != nil)) func everyStoreOfTheCorpusIsReadWholeAndUntouched() throws {
        var withWAL = 0
        for store in try stores() {
            try withTemporaryDirectory { folder in
                let truth = try expected(store, in: folder.path + "/truth")
                let hasWAL = try Disk.exists(store + "-wal")
                if hasWAL {
                    // The WAL matters: without it the content is another.
                    let bare = try copy(store, to: folder.path + "/bare", suffixes: [""])
                    let withoutWAL = try? content(Connection.openForReading(bare))
                    if withoutWAL != truth { withWAL += 1 }
                }
                let places = [
                    store,
                    try copy(store, to: folder.path + "/all", suffixes: ["", "-wal", "-shm"]),
                    try copy(store, to: folder.path + "/no-shm", suffixes: ["", "-wal"]),
                ]
                for place in places {
                    let before = try snapshot(FilePath.parent(place))
                    do {
                        let connection = try Connection.openForReading(place)
                        #expect(try content(connection) == truth, "\(place)")
                        #expect(connection.isReadOnly)
                        try connection.checkUnchanged()
                        let error = #expect(throws: SQLiteError.self) {
                            try connection.execute("CREATE TABLE folio(a)")
                        }
                        #expect(error?.code == .readOnly)
                        #expect(try snapshot(FilePath.parent(place)) == before)
                        try connection.close()
                    }
                    #expect(try snapshot(FilePath.parent(place)) == before, "\(place)")
                }
            }
        }
        #expect(withWAL > 0)
    }

    /// A database whose last rows are only in the WAL, left as by a crash.
    private func crashed(in folder: String, rows: Int = 3) throws -> String {
        let live = folder + "/live", copy = folder + "/a b%c?.sqlite"
        let writer = try Connection(live, .create)
        try writer.prepareForEditing()
        try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        _ = try writer.checkpoint(.truncate)
        for row in 1..<rows { try writer.run("INSERT INTO t VALUES (?)", [.integer(Int64(row + 1))]) }
        for suffix in ["", "-wal"] { try Disk.copyFile(live + suffix, to: copy + suffix) }
        return copy
    }

    @Test func rowsInTheWALAreReadWithAnIndexInMemory() throws {
        try withTemporaryDirectory { folder in
            let path = try crashed(in: folder.path)
            let before = try snapshot(folder.path)
            let connection = try Connection.openForReading(path)
            #expect(connection.reading == .locked)
            // Several transactions on one connection, each with an index of its own.
            for _ in 0..<3 { #expect(try connection.value("SELECT count(*) FROM t") == .integer(3)) }
            try connection.close()
            #expect(
                try snapshot(folder.path).filter { $0.key.hasPrefix("a") } == before.filter { $0.key.hasPrefix("a") })
        }
    }

    /// The store is at rest, without a WAL: no lock of a transaction would hold anybody off.
    @Test func aStateThatIsHeldStaysWhenAnotherOpensCommitsAndCloses() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/store"
            let writer = try Connection(path, .create)
            try writer.setJournalMode(.wal)
            try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            try writer.close()
            let reader = try Connection.openForReading(path)
            try reader.holdState()
            let other = try Connection(path, .readWrite)
            try other.execute("INSERT INTO t VALUES (2)")
            try other.close()
            try reader.checkUnchanged()
            #expect(try reader.value("SELECT count(*) FROM t") == .integer(1))
            try reader.close()
            let later = try Connection(path, .readWrite)
            #expect(try later.value("SELECT count(*) FROM t") == .integer(2))
            try later.close()
            #expect(try Disk.list(folder.path).map(\.name) == ["store"])
        }
    }
}

extension ReadingTests {
    @Test func aCheckpointUnderAStateThatIsHeldIsNoticed() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/store"
            let writer = try Connection(path, .create)
            try writer.setJournalMode(.wal)
            try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            try writer.close()
            let reader = try Connection.openForReading(path)
            try reader.holdState()
            let other = try Connection(path, .readWrite)
            try other.execute("INSERT INTO t VALUES (2)")
            _ = try other.checkpoint(.passive)
            #expect(throws: SQLiteError.self) { try reader.checkUnchanged() }
            try other.close()
        }
    }

    @Test func aWriterThatComesLaterIsNoticedAndThenFollowed() throws {
        try withTemporaryDirectory { folder in
            let path = try crashed(in: folder.path)
            let reader = try Connection.openForReading(path)
            #expect(try reader.value("SELECT count(*) FROM t") == .integer(3))
            let writer = try Connection(path, .readWrite)
            try writer.prepareForEditing()
            try writer.run("INSERT INTO t VALUES (9)")
            let error = #expect(throws: SQLiteError.self) { try reader.checkUnchanged() }
            #expect(error?.code == .changed)
            // The next transaction uses the writer's own index.
            #expect(try reader.value("SELECT count(*) FROM t") == .integer(4))
            try writer.run("INSERT INTO t VALUES (10)")
            #expect(try reader.value("SELECT count(*) FROM t") == .integer(5))
        }
    }

    @Test func aLiveWriterIsReadWithItsLocks() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let writer = try Connection(path, .create)
            try writer.prepareForEditing()
            try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            let reader = try Connection.openForReading(path)
            try reader.execute("BEGIN")
            #expect(try reader.value("SELECT count(*) FROM t") == .integer(1))
            try writer.run("INSERT INTO t VALUES (2)")
            #expect(try reader.value("SELECT count(*) FROM t") == .integer(1))
            // The reader's lock keeps the WAL from being started over.
            var options = OpenOptions.readWrite
            options.busyTimeout = 0
            let impatient = try Connection(path, options)
            #expect(try impatient.checkpoint(.truncate).isBusy)
            try reader.execute("COMMIT")
            #expect(try reader.value("SELECT count(*) FROM t") == .integer(2))
            #expect(try impatient.checkpoint(.truncate).isComplete)
            try reader.checkUnchanged()
        }
    }

    @Test func aDatabaseInWALModeWithoutAWALIsReadAsItStands() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            do {
                let writer = try Connection(path, .create)
                try writer.setJournalMode(.wal)
                try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
                try writer.close()
            }
            #expect(try Disk.list(folder.path).map(\.name) == ["a"])
            let reader = try Connection.openForReading(path)
            #expect(reader.reading == .immutable)
            #expect(try reader.value("SELECT count(*) FROM t") == .integer(1))
            #expect(try Disk.list(folder.path).map(\.name) == ["a"])
            try reader.checkUnchanged()
            var attempts = 0
            let count = try Connection.reading(path) { connection in
                attempts += 1
                let value = try connection.value("SELECT count(*) FROM t")
                if attempts == 1 {
                    let writer = try Connection(path, .readWrite)
                    try writer.execute("INSERT INTO t VALUES (2)")
                    try writer.close()
                }
                return value
            }
            #expect(attempts == 2)
            #expect(count == .integer(2))
        }
    }
}

extension ReadingTests {
    @Test(arguments: [false, true]) func aWALThatIsNoneIsTakenForEmptyAtOnce(withSharedMemory: Bool) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/store"
            let writer = try Connection(path, .create)
            try writer.setJournalMode(.wal)
            try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            try writer.close()
            try Disk.replaceFile(path + "-wal", with: (0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            if withSharedMemory { try Disk.replaceFile(path + "-shm", with: [UInt8](repeating: 0xFF, count: 32_768)) }
            let before = try snapshot(folder.path)
            let start = ContinuousClock.now
            let reader = try Connection.openForReading(path)
            #expect(try reader.value("SELECT a FROM t") == .integer(1))
            try reader.checkUnchanged()
            #expect(ContinuousClock.now - start < .seconds(3))
            #expect(try snapshot(folder.path) == before)
        }
    }

    @Test func aHotJournalIsLeftToAWriter() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let writer = try Connection(path, .create)
            try writer.execute(
                "CREATE TABLE t(a); INSERT INTO t SELECT hex(randomblob(1000)) FROM (VALUES (1), (2), (3)); PRAGMA cache_size=1"
            )
            try writer.transaction {
                try writer.execute("UPDATE t SET a = hex(randomblob(3000)); UPDATE t SET a = hex(randomblob(3000))")
                for suffix in ["", "-journal"] { try Disk.copyFile(path + suffix, to: folder.path + "/b" + suffix) }
            }
            let before = try snapshot(folder.path)
            let error = #expect(throws: SQLiteError.self) { _ = try Connection.openForReading(folder.path + "/b") }
            #expect(error?.code == .needsRecovery)
            #expect(try snapshot(folder.path) == before)
            #expect(
                try Connection(folder.path + "/b", .readWrite).value("SELECT max(length(a)) FROM t") == .integer(2000))
        }
    }

    @Test func anEmptyDatabaseBesideAWALIsNotCleared() throws {
        try withTemporaryDirectory { folder in
            let path = try crashed(in: folder.path)
            try File(path, .readWrite).truncate(to: 0)
            let before = try snapshot(folder.path)
            #expect(throws: SQLiteError.self) { _ = try Connection.openForReading(path) }
            #expect(try snapshot(folder.path) == before)
        }
    }

    @Test func whatIsNoFileIsNotOpened() throws {
        try withTemporaryDirectory { folder in
            let fifo = folder.path + "/fifo"
            #expect(mkfifo(fifo, 0o600) == 0)
            for path in [fifo, folder.path, folder.path + "/none", folder.path + "/a\0b"] {
                let error = #expect(throws: SQLiteError.self) { _ = try Connection.openForReading(path) }
                #expect(error?.code == .cannotOpen)
            }
            let path = try crashed(in: folder.path)
            try Disk.removeFile(path + "-wal")
            #expect(mkfifo(path + "-wal", 0o600) == 0)
            #expect(throws: SQLiteError.self) { _ = try Connection.openForReading(path) }
            #expect(throws: SQLiteError.self) { _ = try Connection(path, .readWrite).value("SELECT * FROM t") }
        }
    }
}
