import FileSystem
import Foundation
import SQLiteKit
import TestSupport
import Testing

struct LogLengthTests {
    @Test func aConnectionForEditingKnowsHowLongItsWALIs() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/store"
            let connection = try Connection(path, .create)
            try connection.prepareForEditing()
            #expect(connection.logFrames == nil)
            func frames() throws -> Int? { try Disk.status(of: path + "-wal").map { Int($0.size - 32) / (4096 + 24) } }
            try connection.execute("CREATE TABLE t(a)")
            let first = try #require(connection.logFrames)
            #expect(try first > 0 && first == frames())
            try connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
            let second = try #require(connection.logFrames)
            #expect(try second >= first + 24 && second == frames())
            _ = try connection.checkpoint(.truncate)
            try connection.execute("DELETE FROM t")
            let third = try #require(connection.logFrames)
            #expect(try third < second && third == frames())
        }
    }

    /// It keeps the handle, which then tells nobody of its commit.
    @Test func aStatementMayOutliveTheConnection() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/store"
            var connection: Connection? = try Connection(path, .create)
            try connection?.prepareForEditing()
            try connection?.execute("CREATE TABLE t(a)")
            weak let ended = connection
            let statement = try #require(try connection?.prepare("INSERT INTO t VALUES (1)"))
            connection = nil
            #expect(ended == nil)
            try statement.run()
            #expect(try Connection(path, .readWrite).value("SELECT count(*) FROM t") == .integer(1))
        }
    }
}
