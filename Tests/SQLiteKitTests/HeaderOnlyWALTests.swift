import FileSystem
import Foundation
import SQLiteKit
import TestSupport
import Testing

@Suite struct HeaderOnlyWALTests {
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

    @Test func aWALThatIsAHeaderAloneHidesNothing() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/store"
            let writer = try Connection(path, .create)
            try writer.prepareForEditing()
            try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            _ = try writer.checkpoint(.truncate)
            try writer.execute("INSERT INTO t VALUES (2)")
            // As a program leaves it that is killed before its first frame, with the index of its WAL and without.
            for (name, suffixes) in [("with", ["", "-wal", "-shm"]), ("without", ["", "-wal"])] {
                let copy = folder.path + "/" + name
                try Disk.makeDirectory(copy)
                for suffix in suffixes { try Disk.copyFile(path + suffix, to: copy + "/store" + suffix) }
                try File(copy + "/store-wal", .readWrite).truncate(to: 32)
                #expect(try Connection.openForReading(copy + "/store").rows("SELECT a FROM t") == [[.integer(1)]])
                #expect(try Disk.list(copy).map(\.name) == suffixes.map { "store" + $0 }.sorted())
            }
        }
    }
}
