import FileSystem
import Foundation
import SQLiteKit
import TestSupport
import Testing

struct WALTests {
    @Test func anEditingConnectionLeavesTheMainFileAloneUntilACheckpoint() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            do {
                let connection = try Connection(path, .create)
                try connection.prepareForEditing()
                try connection.execute("CREATE TABLE t(a)")
                _ = try connection.checkpoint(.truncate)
                let saved = try Disk.read(path, limit: 1 << 20)
                for row in 0..<500 { try connection.run("INSERT INTO t VALUES (?)", [.integer(Int64(row))]) }
                #expect(try Disk.read(path, limit: 1 << 20) == saved)
                try connection.close()
                #expect(try Disk.read(path, limit: 1 << 20) == saved)
            }
            #expect(try Disk.exists(path + "-wal"))
            let connection = try Connection(path, .readWrite)
            #expect(try connection.value("SELECT count(*) FROM t") == .integer(500))
            #expect(try connection.checkpoint(.full).isComplete)
            try connection.setCheckpointsOnClose(true)
            try connection.setKeepsWAL(false)
            try connection.close()
            #expect(try Disk.list(folder.path).map(\.name) == ["a"])
        }
    }

    @Test func aCheckpointWithinATransactionIsRefused() throws {
        try withTemporaryDirectory { folder in
            let connection = try Connection(folder.path + "/a", .create)
            try connection.prepareForEditing()
            try connection.transaction {
                try connection.execute("CREATE TABLE t(a)")
                let error = #expect(throws: SQLiteError.self) { _ = try connection.checkpoint(.full) }
                #expect(error?.code == .locked)
            }
            let plain = try Connection(folder.path + "/b", .create)
            #expect(try plain.checkpoint(.full).frames == -1)
            #expect(try plain.journalMode() == .delete)
        }
    }

    @Test func aCopyHoldsTheWALAndNothingIsLeftOfAFailedOne() throws {
        try withTemporaryDirectory { folder in
            let connection = try Connection(folder.path + "/a", .create)
            try connection.prepareForEditing()
            try connection.execute(
                "CREATE TABLE t(a); INSERT INTO t SELECT hex(randomblob(1000)) FROM (VALUES (1), (2), (3), (4))")
            var steps = 0
            try connection.copyDatabase(to: folder.path + "/b", pagesPerStep: 1) { _, _ in steps += 1 }
            #expect(steps > 3)
            let rows = try connection.rows("SELECT a FROM t")
            #expect(try Connection.openForReading(folder.path + "/b").rows("SELECT a FROM t") == rows)
            #expect(try Disk.list(folder.path).map(\.name).filter { $0.hasPrefix("b") } == ["b"])
            let exists = #expect(throws: FileSystemError.self) { try connection.copyDatabase(to: folder.path + "/b") }
            #expect(exists?.code == .exists)
            struct Stop: Error {}
            #expect(throws: Stop.self) {
                try connection.copyDatabase(to: folder.path + "/c", pagesPerStep: 1) { _, _ in throw Stop() }
            }
            let full = #expect(throws: SQLiteError.self) {
                try FaultInjection.with({ call, path in call == .write && path.hasSuffix("/c") ? .error(28) : nil }) {
                    try connection.copyDatabase(to: folder.path + "/c")
                }
            }
            #expect(full?.code == .full)
            #expect(try Disk.list(folder.path).map(\.name).filter { $0.hasPrefix("c") } == [])
        }
    }
}
