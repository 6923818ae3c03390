import FileSystem
import Foundation
import Glibc
import SQLiteKit
import TestSupport
import Testing

/// A commit that was refused is not found by whoever reads the WAL anew.
struct RefusedCommitTests {
    private func refuse(_ call: SystemCall, _ suffix: String, _ error: Int32 = ENOSPC, _ body: () throws -> Void) throws
        -> SQLiteError?
    {
        #expect(throws: SQLiteError.self) {
            try FaultInjection.with({ $0 == call && $1.hasSuffix(suffix) ? .error(error) : nil }, body)
        }
    }

    @Test(arguments: [EIO, ENOSPC]) func aCommitThatCannotBeSynchronizedIsNotFoundLater(_ number: Int32) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try editing(path), reader = try Connection.openForReading(path)
            let error = try refuse(.fsync, "-wal", number) {
                try connection.transaction {
                    for row in 2...50 {
                        try connection.run("INSERT INTO t VALUES (?, hex(randomblob(1000)))", [.integer(Int64(row))])
                    }
                }
            }
            #expect(error?.code == (number == ENOSPC ? .full : .inputOutput))
            #expect(try valuesAfterKill(path) == [1])
            for connection in [connection, reader, try Connection.openForReading(path)] {
                #expect(try connection.value("SELECT count(*) FROM t") == .integer(1))
            }
            // The next commit takes the place of the refused one.
            try connection.execute("INSERT INTO t VALUES (100, '')")
            #expect(try valuesAfterKill(path) == [1, 100])
            #expect(try connection.checkpoint(.truncate).isComplete)
            #expect(try reader.value("SELECT count(*) FROM t") == .integer(2))
        }
    }

    /// More than the cache holds, so that frames are in the WAL long before the commit.
    @Test func aGreatCommitThatCannotBeSynchronizedIsNotFoundLater() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try editing(path)
            try connection.execute("PRAGMA cache_size=10")
            _ = try refuse(.fsync, "-wal") {
                try connection.transaction {
                    for row in 2...500 {
                        try connection.run("INSERT INTO t VALUES (?, hex(randomblob(1000)))", [.integer(Int64(row))])
                    }
                }
            }
            #expect(try valuesAfterKill(path) == [1])
            try connection.execute("INSERT INTO t VALUES (3, '')")
            #expect(try valuesAfterKill(path) == [1, 3])
        }
    }

    @Test func commitsThatWereDoneBeforeStayWhereACheckpointCannotSynchronizeThem() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try editing(path)
            try connection.setSynchronous(.normal)
            try connection.execute("INSERT INTO t VALUES (2, '')")
            try connection.execute("INSERT INTO t VALUES (3, '')")
            _ = try refuse(.fsync, "-wal") { _ = try connection.checkpoint(.full) }
            #expect(try valuesAfterKill(path) == [1, 2, 3])
            // Only what is refused goes.
            try connection.execute("INSERT INTO t VALUES (4, '')")
            try connection.setSynchronous(.full)
            _ = try refuse(.fsync, "-wal") { try connection.execute("INSERT INTO t VALUES (5, '')") }
            #expect(try valuesAfterKill(path) == [1, 2, 3, 4])
        }
    }

    /// The index of the WAL grows once in some four thousand frames; where it can't, the frames
    /// must not be whole by then.
    @Test func aCommitThatFindsNoRoomForTheIndexOfTheWALIsNotFoundLater() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try editing(path) { try $0.execute("PRAGMA page_size=512") }
            let error = try refuse(.write, "-shm") {
                try connection.transaction {
                    for row in 2...900 {
                        try connection.run("INSERT INTO t VALUES (?, hex(randomblob(1200)))", [.integer(Int64(row))])
                    }
                }
            }
            #expect(error?.code == .full)
            #expect(try Disk.status(of: path + "-wal").map { $0.size > 4_100 * 536 } == true)
            #expect(try valuesAfterKill(path) == [1])
            try connection.transaction {
                for row in 2...900 {
                    try connection.run("INSERT INTO t VALUES (?, hex(randomblob(1200)))", [.integer(Int64(row))])
                }
            }
            #expect(try valuesAfterKill(path).count == 900)
            try connection.execute("PRAGMA integrity_check")
        }
    }
}
