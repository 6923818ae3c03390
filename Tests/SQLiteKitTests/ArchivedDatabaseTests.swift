import FileSystem
import Foundation
import SQLiteKit
import Synchronization
import TestSupport
import Testing

/// Databases that are read where they lie within a larger file.
struct ArchivedDatabaseTests {
    /// A file with a database in its middle.
    private struct Fixture {
        let archive: String
        let workingPath: String
        let offset: Int64
        let length: Int64

        init(in folder: String, isWAL: Bool = true, padding: Int64 = 10_000, rows: Int = 500) throws {
            let plain = folder + "/plain"
            let connection = try Connection(plain, .create)
            if isWAL { try connection.setJournalMode(.wal) }
            try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
            try connection.transaction {
                for row in 1...rows {
                    try connection.run("INSERT INTO t VALUES (?, ?)", [.integer(Int64(row)), .text("row \(row)")])
                }
            }
            try connection.close()
            let bytes = try Disk.read(plain, limit: 1 << 30)
            archive = folder + "/archive"
            let file = try File(archive, .create())
            // 37: pages of an archive need not lie on a multiple of anything.
            offset = padding + 37
            length = Int64(bytes.count)
            let place = padding + 37
            try bytes.withUnsafeBytes { try file.write($0, at: place) }
            try file.truncate(to: offset + length + padding)
            workingPath = folder + "/working/store"
            try Disk.makeDirectory(folder + "/working")
        }

        var identity: FileIdentity { get throws { try #require(try Disk.identity(of: archive)) } }
        func database() throws -> ArchivedDatabase {
            try ArchivedDatabase(archive, offset: offset, length: length, expecting: identity)
        }
        func edit() throws -> Connection { try Connection.openForEditing(database(), workingPath: workingPath) }
        func content() throws -> [UInt8] { try Disk.read(archive, limit: 1 << 30) }
    }

    @Test(arguments: [true, false]) func aHundredCommitsGoIntoTheWorkingSetAndNothingIntoTheArchive(isWAL: Bool) throws
    {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path, isWAL: isWAL)
            let before = try fixture.content(), identity = try fixture.identity
            for session in 0..<3 {
                let connection = try fixture.edit()
                #expect(try connection.value("SELECT count(*) FROM t") == .integer(Int64(500 + 100 * session)))
                for commit in 0..<100 {
                    try connection.transaction {
                        try connection.run(
                            "INSERT INTO t(a) VALUES (?)", [.text("session \(session) commit \(commit)")])
                        try connection.run("UPDATE t SET a = a || '+' WHERE id = ?", [.integer(Int64(commit + 1))])
                    }
                }
                try connection.close()
            }
            let connection = try fixture.edit()
            #expect(try connection.value("SELECT a FROM t WHERE id = 1") == .text("row 1+++"))
            try connection.copyDatabase(to: folder.path + "/merged")
            try connection.close()
            #expect(try fixture.content() == before)
            #expect(try fixture.identity == identity)
            #expect(try Disk.list(folder.path + "/working").map(\.name) == ["store-wal"])
            #expect(try Disk.status(of: fixture.workingPath + "-wal")?.mode == 0o600)

            let merged = try Connection.openForReading(folder.path + "/merged")
            #expect(try merged.value("PRAGMA integrity_check") == .text("ok"))
            #expect(try merged.value("SELECT count(*) FROM t") == .integer(800))
            #expect(try merged.value("SELECT a FROM t WHERE id = 1") == .text("row 1+++"))
            #expect(try Disk.list(folder.path).map(\.name).filter { $0.hasPrefix("merged") } == ["merged"])
        }
    }
}

extension ArchivedDatabaseTests {
    @Test func noCheckpointReachesTheArchive() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path)
            let before = try fixture.content()
            let connection = try fixture.edit()
            try connection.run("INSERT INTO t(a) VALUES ('new')")
            for mode in [Connection.CheckpointMode.passive, .full, .restart, .truncate] {
                let error = #expect(throws: SQLiteError.self) { _ = try connection.checkpoint(mode) }
                #expect(error?.code == .readOnly)
            }
            // Even where somebody asks for it all.
            try connection.setCheckpointsOnClose(true)
            try connection.setKeepsWAL(false)
            try? connection.setJournalMode(.delete)
            try? connection.execute("VACUUM")
            try connection.close()
            #expect(try fixture.content() == before)
            #expect(try fixture.edit().value("SELECT a FROM t ORDER BY id DESC LIMIT 1") == .text("new"))
        }
    }

    @Test func aRolledBackTransactionLeavesNoTrace() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path)
            struct Stop: Error {}
            let connection = try fixture.edit()
            #expect(throws: Stop.self) {
                try connection.transaction {
                    try connection.execute("PRAGMA cache_size=1; UPDATE t SET a = hex(randomblob(500))")
                    throw Stop()
                }
            }
            #expect(try connection.value("SELECT a FROM t WHERE id = 7") == .text("row 7"))
            try connection.close()
            #expect(try fixture.edit().value("SELECT a FROM t WHERE id = 7") == .text("row 7"))
        }
    }

    @Test func readingWritesNothingAnywhereAndSeesTheWALWhereAsked() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path)
            let reader = try Connection.openForReading(fixture.database(), workingPath: fixture.workingPath)
            #expect(try reader.value("SELECT count(*) FROM t") == .integer(500))
            #expect(try Disk.list(folder.path + "/working").isEmpty)

            let editor = try fixture.edit()
            try editor.run("INSERT INTO t(a) VALUES ('new')")
            let saved = try Connection.openForReading(fixture.database())
            let edited = try Connection.openForReading(fixture.database(), workingPath: fixture.workingPath)
            try editor.run("INSERT INTO t(a) VALUES ('newer')")
            // Each reader keeps to what was committed when it was opened.
            #expect(try saved.value("SELECT count(*) FROM t") == .integer(500))
            #expect(try edited.value("SELECT count(*) FROM t") == .integer(501))
            #expect(try editor.value("SELECT count(*) FROM t") == .integer(502))
            for connection in [saved, edited] {
                #expect(connection.isReadOnly)
                #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t(a) VALUES ('x')") }
            }
            let wal = try Disk.read(fixture.workingPath + "-wal", limit: 1 << 30)
            try edited.close()
            try saved.close()
            #expect(try Disk.read(fixture.workingPath + "-wal", limit: 1 << 30) == wal)
            #expect(try Disk.list(folder.path + "/working").map(\.name) == ["store-wal"])
        }
    }

    @Test func oneConnectionAtATimeEdits() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path)
            let first = try fixture.edit()
            let error = #expect(throws: SQLiteError.self) { _ = try fixture.edit() }
            #expect(error?.code == .busy)
            try first.close()
            try fixture.edit().run("INSERT INTO t(a) VALUES ('new')")
        }
    }
}

extension ArchivedDatabaseTests {
    @Test func aPlantedJournalIsNotLookedAt() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path, isWAL: false)
            try Disk.replaceFile(fixture.workingPath + "-journal", with: Array(repeating: 0xD9, count: 4096))
            let connection = try fixture.edit()
            #expect(try connection.value("SELECT count(*) FROM t") == .integer(500))
            try connection.close()
            #expect(try Disk.exists(fixture.workingPath + "-journal"))
        }
    }

    @Test func aPlaceOutsideTheFileIsRefused() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path)
            let size = try fixture.identity.size
            let places: [(Int64, Int64)] = [
                (size, 4096), (size - 4095, 4096), (-1, 4096), (0, .max), (.max, 4096), (0, -1),
            ]
            for (offset, length) in places {
                let error = #expect(throws: SQLiteError.self) {
                    _ = try ArchivedDatabase(
                        fixture.archive, offset: offset, length: length, expecting: fixture.identity)
                }
                #expect(error?.code == .corrupt)
            }
            let short = #expect(throws: SQLiteError.self) {
                _ = try ArchivedDatabase(fixture.archive, offset: 0, length: 511, expecting: fixture.identity)
            }
            #expect(short?.code == .notADatabase)
            // What lies there is no database.
            let other = try ArchivedDatabase(fixture.archive, offset: 0, length: 4096, expecting: fixture.identity)
            #expect(throws: SQLiteError.self) { _ = try Connection.openForReading(other) }
            // A database that is cut off in its archive ends where its place ends, whatever stands
            // behind it.
            let cut = try ArchivedDatabase(
                fixture.archive, offset: fixture.offset, length: 4096, expecting: fixture.identity)
            #expect(throws: SQLiteError.self) {
                _ = try Connection.openForReading(cut).value("SELECT sum(length(a)) FROM t")
            }
        }
    }

    @Test func aLinkIsNotFollowed() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path)
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "archive")
            let error = #expect(throws: SQLiteError.self) {
                _ = try ArchivedDatabase(
                    folder.path + "/link", offset: fixture.offset, length: fixture.length, expecting: fixture.identity)
            }
            #expect(error?.code == .cannotOpen)
            #expect(error?.systemError == ELOOP)
            // Nor a WAL that is one.
            try Disk.replaceFile(folder.path + "/victim", with: [])
            try FileManager.default.createSymbolicLink(
                atPath: fixture.workingPath + "-wal", withDestinationPath: "../victim")
            #expect(throws: SQLiteError.self) { try fixture.edit().run("INSERT INTO t(a) VALUES ('new')") }
            #expect(try Disk.read(folder.path + "/victim", limit: 1).isEmpty)
        }
    }

    @Test func anArchiveThatIsCutOffOrWrittenOverIsNoticedAtTheNextRead() throws {
        try withTemporaryDirectory { folder in
            for change in 0..<3 {
                let place = folder.path + "/\(change)"
                try Disk.makeDirectory(place)
                let fixture = try Fixture(in: place, rows: 20_000)
                let stale = try fixture.identity
                let connection = try fixture.edit()
                try connection.execute("PRAGMA cache_size=1")
                try connection.run("INSERT INTO t(a) VALUES ('new')")
                let file = try File(fixture.archive, .readWrite)
                switch change {
                case 0: try file.truncate(to: fixture.offset + 8192)
                case 1:
                    try [UInt8](repeating: 7, count: 9000).withUnsafeBytes {
                        try file.write($0, at: fixture.offset + 4096)
                    }
                default: try file.truncate(to: stale.size + 1)
                }
                let error = #expect(throws: SQLiteError.self) {
                    _ = try connection.value("SELECT sum(length(a)) FROM t")
                }
                #expect(error?.code == .changed)
                #expect(error?.path == fixture.archive)
                let copy = #expect(throws: SQLiteError.self) { try connection.copyDatabase(to: place + "/merged") }
                #expect(copy?.code == .changed)
                #expect(try !Disk.exists(place + "/merged"))
                let reopened = #expect(throws: SQLiteError.self) {
                    _ = try ArchivedDatabase(
                        fixture.archive, offset: fixture.offset, length: fixture.length, expecting: stale)
                }
                #expect(reopened?.code == .changed)
            }
        }
    }
}

extension ArchivedDatabaseTests {
    @Test func anArchiveThatIsReplacedByNameIsReadAsItWasAndTheReplacementIsTold() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path)
            let database = try fixture.database()
            let connection = try Connection.openForEditing(database, workingPath: fixture.workingPath)
            try database.checkUnchanged()
            try Disk.replaceFile(fixture.archive, with: Array("another".utf8))
            #expect(try connection.value("SELECT count(*) FROM t") == .integer(500))
            let error = #expect(throws: SQLiteError.self) { try database.checkUnchanged() }
            #expect(error?.code == .changed)
        }
    }

    @Test func failuresOfTheDeviceAreNamed() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path)
            let archive = fixture.archive, wal = fixture.workingPath + "-wal"
            let read = #expect(throws: SQLiteError.self) {
                try FaultInjection.with({ call, path in call == .read && path == archive ? .error(EIO) : nil }) {
                    _ = try fixture.edit()
                }
            }
            #expect(read?.code == .inputOutput)
            #expect(read?.systemError == EIO)
            let connection = try fixture.edit()
            let full = #expect(throws: SQLiteError.self) {
                try FaultInjection.with({ call, path in call == .write && path == wal ? .error(ENOSPC) : nil }) {
                    try connection.run("INSERT INTO t(a) VALUES ('new')")
                }
            }
            #expect(full?.code == .full)
            #expect(try connection.value("SELECT count(*) FROM t") == .integer(500))
            try connection.run("INSERT INTO t(a) VALUES ('new')")
        }
    }

    @Test func damagedBytesAreNoticedByTheSumsThatTheArchiveKeeps() throws {
        try withTemporaryDirectory { folder in
            let fixture = try Fixture(in: folder.path)
            let looked = Mutex<[Int64]>([])
            let database = try ArchivedDatabase(
                File(fixture.archive, .read), offset: fixture.offset, length: fixture.length
            ) { bytes, offset in
                looked.withLock { $0.append(offset) }
                return offset < 8192 || bytes.count < 4096
            }
            let error = #expect(throws: SQLiteError.self) {
                _ = try Connection.openForReading(database).value("SELECT sum(length(a)) FROM t")
            }
            #expect(error?.code == .corrupt)
            #expect(looked.withLock { $0.contains(8192) })
        }
    }

    @Test func openingReadsAsMuchOfALargeArchiveAsOfASmallOne() throws {
        try withTemporaryDirectory { folder in
            func reads(padding: Int64, rows: Int) throws -> Int {
                let place = folder.path + "/\(padding)-\(rows)"
                try Disk.makeDirectory(place)
                let fixture = try Fixture(in: place, padding: padding, rows: rows)
                let archive = fixture.archive
                let count = Mutex(0)
                try FaultInjection.with({ call, path in
                    if call == .read, path == archive { count.withLock { $0 += 1 } }
                    return nil
                }) {
                    let connection = try fixture.edit()
                    #expect(try connection.value("SELECT a FROM t WHERE id = 1") == .text("row 1"))
                    try connection.run("UPDATE t SET a = 'changed' WHERE id = 1")
                    try connection.close()
                }
                return count.withLock { $0 }
            }
            let small = try reads(padding: 1_000, rows: 1_000)
            #expect(try reads(padding: 1 << 33, rows: 1_000) == small)
            // One more level of the tree.
            #expect(try reads(padding: 1_000, rows: 200_000) <= small + 1)
            #expect(small < 12)
        }
    }
}
