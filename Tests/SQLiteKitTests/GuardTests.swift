import FileSystem
import Foundation
import Glibc
import SQLiteKit
import TestSupport
import Testing

/// What a document may not make the library do.
struct GuardTests {
    /// A database with a hot journal that names `victim` as its super-journal.
    private func planted(in folder: String, naming victim: String) throws -> String {
        let path = folder + "/live", copy = folder + "/planted"
        let writer = try Connection(path, .create)
        try writer.execute(
            "CREATE TABLE t(a); INSERT INTO t SELECT hex(randomblob(1000)) FROM (VALUES (1), (2), (3)); PRAGMA cache_size=1"
        )
        try writer.transaction {
            try writer.execute("UPDATE t SET a = hex(randomblob(3000)); UPDATE t SET a = hex(randomblob(3000))")
            for suffix in ["", "-journal"] { try Disk.copyFile(path + suffix, to: copy + suffix) }
        }
        // The record at the journal's end: the page that can't be, the name, its length, its sum,
        // the magic number.
        func big(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
        }
        let name = Array(victim.utf8)
        let record =
            big((1 << 30) / 4096 + 1) + name + big(UInt32(name.count)) + big(name.reduce(0) { $0 &+ UInt32($1) })
            + [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let file = try File(copy + "-journal", .readWrite)
        let size = try file.status().size
        try record.withUnsafeBytes { try file.write($0, at: size) }
        return copy
    }

    @Test func aPlantedSuperJournalDeletesNothing() throws {
        try withTemporaryDirectory { folder in
            let victim = folder.path + "/victim"
            try Disk.replaceFile(victim, with: Array("precious".utf8))
            let path = try planted(in: folder.path, naming: victim)
            let error = #expect(throws: SQLiteError.self) {
                _ = try Connection(path, .readWrite).rows("SELECT * FROM t")
            }
            #expect(error?.code == .refused)
            #expect(try Disk.read(victim, limit: 99) == Array("precious".utf8))
        }
    }

    /// The control: without the guard, the same document deletes the file.
    @Test func withoutTheGuardTheFileWouldBeGone() throws {
        try withTemporaryDirectory { folder in
            let victim = folder.path + "/victim"
            try Disk.replaceFile(victim, with: Array("precious".utf8))
            let path = try planted(in: folder.path, naming: victim)
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            shell.arguments = ["sqlite3", path, "SELECT count(*) FROM t"]
            shell.standardOutput = FileHandle.nullDevice
            shell.standardError = FileHandle.nullDevice
            try shell.run()
            shell.waitUntilExit()
            if shell.terminationStatus == 127 { return }
            #expect(try !Disk.exists(victim))
        }
    }

    @Test func anotherOpenDocumentsJournalIsNoSuperJournal() throws {
        try withTemporaryDirectory { folder in
            let other = try Connection(folder.path + "/other", .create)
            try other.prepareForEditing()
            try other.execute("CREATE TABLE t(a)")
            let victim = folder.path + "/other-wal"
            let path = try planted(in: folder.path, naming: victim)
            let error = #expect(throws: SQLiteError.self) {
                _ = try Connection(path, .readWrite).rows("SELECT * FROM t")
            }
            #expect(error?.code == .refused)
            #expect(try Disk.exists(victim))
        }
    }

    @Test func aDatabaseBehindALinkIsRefusedWhereAsked() throws {
        try withTemporaryDirectory { folder in
            try Connection(folder.path + "/a", .create).execute("CREATE TABLE t(a)")
            #expect(symlink("a", folder.path + "/link") == 0)
            var options = OpenOptions.readWrite
            #expect(try Connection(folder.path + "/link", options).value("SELECT count(*) FROM t") == .integer(0))
            options.followsLink = false
            #expect(throws: SQLiteError.self) {
                _ = try Connection(folder.path + "/link", options).value("SELECT count(*) FROM t")
            }
            // A link where the WAL would be is never followed.
            try Disk.replaceFile(folder.path + "/elsewhere", with: [])
            #expect(symlink("elsewhere", folder.path + "/a-wal") == 0)
            #expect(throws: SQLiteError.self) { try Connection(folder.path + "/a", .readWrite).setJournalMode(.wal) }
            #expect(try Disk.read(folder.path + "/elsewhere", limit: 1).isEmpty)
        }
    }
}

extension GuardTests {
    @Test func otherFilesAndExtensionsAreNotReached() throws {
        try withTemporaryDirectory { folder in
            let connection = try Connection(folder.path + "/a", OpenOptions(.create, defense: .foreign))
            let attach = #expect(throws: SQLiteError.self) { try connection.execute("ATTACH '\(folder.path)/b' AS b") }
            #expect(attach?.code == .refused)
            #expect(try !Disk.exists(folder.path + "/b"))
            #expect(throws: SQLiteError.self) { try connection.execute("SELECT load_extension('x')") }
            try connection.execute("CREATE TABLE t(a); VACUUM")
            try connection.execute("PRAGMA writable_schema=ON")
            #expect(throws: SQLiteError.self) { try connection.execute("DELETE FROM sqlite_schema") }
            var options = OpenOptions.create
            options.allowsAttaching = true
            let other = try Connection(folder.path + "/a", options)
            try other.execute("ATTACH '\(folder.path)/b' AS b; CREATE TABLE b.t(a); DETACH b")
        }
    }

    @Test func triggersAndValuesOfForeignFilesAreBounded() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            try Connection(path, .create).execute(
                """
                CREATE TABLE t(a); CREATE VIEW bomb AS SELECT zeroblob(900000000) AS z;
                CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;
                """)
            let connection = try Connection.openForReading(path)
            let big = #expect(throws: SQLiteError.self) { _ = try connection.rows("SELECT z FROM bomb") }
            #expect(big?.code == .tooBig)
            let late = #expect(throws: SQLiteError.self) {
                try connection.withDeadline(.milliseconds(50)) {
                    _ = try connection.value("SELECT count(*) FROM endless")
                }
            }
            #expect(late?.code == .timedOut)
        }
    }
}
