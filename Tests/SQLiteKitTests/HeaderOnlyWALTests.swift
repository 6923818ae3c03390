import FileSystem
import Foundation
import SQLiteKit
import TestSupport
import Testing

struct HeaderOnlyWALTests {
    @Test func aWALThatIsAHeaderAloneHidesNothing() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/store"
            let writer = try Connection(path, .create)
            try writer.prepareForEditing()
            try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            _ = try writer.checkpoint(.truncate)
            try writer.execute("INSERT INTO t VALUES (2)")
            // As a program leaves it that is killed before its first frame, with the index of its
            // WAL and without.
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
