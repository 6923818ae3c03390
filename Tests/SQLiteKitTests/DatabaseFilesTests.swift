import FileSystem
import Foundation
import SQLiteFile
import SQLiteKit
import TestSupport
import Testing

/// The files of a database past SQLite.
struct DatabaseFilesTests {
    private func bytes(_ state: DatabaseState) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var page = [UInt8](repeating: 0, count: state.pageSize)
        for number in 0..<state.pageCount {
            let count = try page.withUnsafeMutableBytes { try state.read(page: number, into: $0) }
            bytes += page[..<count]
        }
        return bytes
    }

    private func editor(_ path: String, pageSize: Int = 4096) throws -> Connection {
        let connection = try Connection(path, .create)
        try connection.execute("PRAGMA page_size=\(pageSize)")
        try connection.prepareForEditing()
        return connection
    }

    @Test(arguments: [512, 4096, 65_536]) func everyStateOfTheWALIsWhatACheckpointThereWouldMake(pageSize: Int) throws {
        try withTemporaryDirectory { folder in
            let connection = try editor(folder.path + "/a", pageSize: pageSize)
            try connection.execute(
                "CREATE TABLE t(a); INSERT INTO t SELECT hex(randomblob(1000)) FROM (VALUES (1), (2), (3), (4))")
            #expect(try connection.checkpoint(.truncate).isComplete)
            let main = try connection.withFiles { files throws in
                #expect(files.log == nil && files.pageSize == pageSize)
                return try bytes(files.current)
            }
            var marks: [WriteAheadLog.Mark] = [], expected: [[UInt8]] = []
            for commit in 0..<6 {
                try connection.run("INSERT INTO t VALUES (hex(randomblob(?)))", [.integer(Int64(700 * commit))])
                if commit == 4 { try connection.run("DELETE FROM t WHERE rowid < 4") }
                // The copy that a checkpoint elsewhere works on.
                for suffix in ["", "-wal"] {
                    try Disk.copyFile(folder.path + "/a" + suffix, to: folder.path + "/b" + suffix)
                }
                let copy = try Connection(folder.path + "/b", .readWrite)
                #expect(try copy.checkpoint(.truncate).isComplete)
                try copy.close()
                expected.append(try Disk.read(folder.path + "/b", limit: 1 << 24))
                try Disk.removeFile(folder.path + "/b")
                marks.append(try connection.withFiles { try #require($0.log).end })
            }
            try connection.withFiles { files throws in
                #expect(try bytes(files.state(at: nil)) == main)
                for (mark, expected) in zip(marks, expected) { #expect(try bytes(files.state(at: mark)) == expected) }
                #expect(try bytes(files.current) == expected.last)
                #expect(Set(files.pagesWritten(since: marks[4])).isSubset(of: files.pagesWritten(since: nil)))
                #expect(files.pagesWritten(since: marks[5]).isEmpty)
                var other = marks[2]
                other.salt2 &+= 1
                #expect(try bytes(files.state(at: other)) == main)
                other = marks[2]
                other.frames = .max
                #expect(try bytes(files.state(at: other)) == main)
            }
        }
    }

    @Test func aWALCountsAsCheckpointedUntilTheNextCommit() throws {
        try withTemporaryDirectory { folder in
            let connection = try editor(folder.path + "/a")
            try connection.execute(
                "CREATE TABLE t(a); INSERT INTO t SELECT hex(randomblob(3000)) FROM (VALUES (1), (2), (3))")
            func isCheckpointed() throws -> Bool {
                try connection.withFiles { files throws in
                    #expect(files.log?.commitCount ?? 0 > 0)
                    return try files.isCheckpointed()
                }
            }
            #expect(try !isCheckpointed())
            #expect(try connection.checkpoint(.passive).isComplete)
            #expect(try isCheckpointed())
            // The first frame of a new run writes over the old one.
            try connection.run("UPDATE t SET a = 'b' WHERE rowid = 2")
            #expect(try !isCheckpointed())
            #expect(try connection.checkpoint(.passive).isComplete)
            #expect(try isCheckpointed())
            // A larger database alone tells the two apart.
            try connection.run("INSERT INTO t VALUES (hex(randomblob(9000)))")
            #expect(try !isCheckpointed())
            try connection.close()
        }
    }
}

extension DatabaseFilesTests {
    @Test func aTornOrForeignFrameEndsTheWAL() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try editor(path)
            try connection.execute("CREATE TABLE t(a)")
            // Frames after each commit; the first makes the table.
            var commits = [try connection.withFiles { try #require($0.log).end.frames }]
            for _ in 0..<5 {
                try connection.execute("INSERT INTO t VALUES (hex(randomblob(1500)))")
                commits.append(try connection.withFiles { try #require($0.log).end.frames })
            }
            let size = try #require(try Disk.status(of: path + "-wal")).size
            try connection.close()
            let wal = try Disk.read(path + "-wal", limit: 1 << 24)
            for place in stride(from: 0, to: Int(size), by: 997) {
                var broken = wal
                broken[place] ^= 0x10
                let copy = folder.path + "/copy\(place)"
                try Disk.replaceFile(copy + "-wal", with: broken)
                try Disk.copyFile(path, to: copy)
                let reader = try editor(copy)
                let found = try reader.withFiles { $0.log?.end.frames ?? 0 }
                // As SQLite itself reads the same file.
                if found == 0 {
                    #expect(try reader.value("SELECT count(*) FROM sqlite_schema") == .integer(0))
                } else {
                    let commit = try #require(commits.firstIndex(of: found))
                    #expect(commit < 5)
                    #expect(try reader.value("SELECT count(*) FROM t") == .integer(Int64(commit)))
                }
            }
        }
    }

    @Test func theFilesAreLookedAtBetweenTransactions() throws {
        try withTemporaryDirectory { folder in
            let connection = try editor(folder.path + "/a")
            try connection.transaction {
                let error = #expect(throws: SQLiteError.self) { try connection.withFiles { _ in } }
                #expect(error?.code == .misuse)
            }
            #expect(throws: SQLiteError.self) { try Connection.inMemory().withFiles { _ in } }
        }
    }

    @Test func anArchivedDatabaseHasStatesToo() throws {
        try withTemporaryDirectory { folder in
            let plain = try editor(folder.path + "/plain")
            try plain.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            _ = try plain.checkpoint(.truncate)
            try plain.close()
            let content = try Disk.read(folder.path + "/plain", limit: 1 << 20)
            try Disk.replaceFile(folder.path + "/archive", with: [1, 2, 3] + content + [4])
            let database = try ArchivedDatabase(File(folder.path + "/archive"), offset: 3, length: Int64(content.count))
            let connection = try Connection.openForEditing(database, workingPath: folder.path + "/working")
            try connection.run("INSERT INTO t VALUES (2)")
            try connection.withFiles { files throws in
                #expect(try bytes(files.state(at: nil)) == content)
                #expect(try bytes(files.current) != content)
                #expect(try !files.cloneMain(to: folder.path + "/clone"))
            }
        }
    }

    /// Whether another process can write to the database just now.
    private func canWrite(_ path: String) throws -> Bool? {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        shell.arguments = ["sqlite3", path, "BEGIN EXCLUSIVE; ROLLBACK"]
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        return shell.terminationStatus == 127 ? nil : shell.terminationStatus == 0
    }
}

extension DatabaseFilesTests {
    @Test func cloningTheMainFileKeepsTheLocksThatOpeningItWouldDrop() throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try Connection(path, .create)
            try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            let other = try Connection(path, .readOnly)
            _ = try other.value("SELECT count(*) FROM t")
            for attempt in 0..<2 {
                let target = folder.path + "/clone\(attempt)"
                try connection.withFiles { files throws in
                    if try files.cloneMain(to: target) {
                        let current = try bytes(files.current)
                        #expect(try Disk.read(target, limit: 1 << 20) == current)
                    } else {
                        #expect(try !Disk.exists(target))
                    }
                    #expect(try canWrite(path) != true)
                }
                // Nor does a connection that is closed meanwhile take the descriptor with it.
                if attempt == 0 { try other.close() }
            }
            #expect(try canWrite(path) != false)
            // The control: this is what happens otherwise.
            try connection.withFiles { _ throws in
                _ = try Disk.read(path, limit: 1 << 20)
                #expect(try canWrite(path) != false)
            }
            try connection.close()
            #expect(try canWrite(path) != false)
        }
    }
}
