import FileSystem
import Foundation
import Glibc
import SQLiteKit
import Synchronization
import TestSupport
import Testing

/// The names of new WALs and journals.
struct NewNameTests {
    @Test(arguments: ["wal", "delete"]) func aCommitIsRefusedWhereTheNameOfItsLogIsNotDurable(_ mode: String) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try Connection(path, OpenOptions(.create))
            try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
            try connection.execute("PRAGMA journal_mode=\(mode)")
            let error = #expect(throws: SQLiteError.self) {
                try FaultInjection.with({ $0 == .fsync && $1 == folder.path ? .error(EIO) : nil }) {
                    try connection.execute("INSERT INTO t VALUES (2)")
                }
            }
            #expect(error?.code == .inputOutput && error?.systemError == EIO)
            #expect(try connection.value("SELECT count(*) FROM t") == .integer(1))
            // The next commit makes the name durable.
            let synchronized = Mutex<Set<String>>([])
            try FaultInjection.with({ call, path in
                if call == .fsync { synchronized.withLock { _ = $0.insert(path) } }
                return nil
            }) { try connection.execute("INSERT INTO t VALUES (3)") }
            #expect(synchronized.withLock { $0.contains(folder.path) })
            #expect(try connection.value("SELECT count(*) FROM t") == .integer(2))
            try connection.close()
        }
    }
}
