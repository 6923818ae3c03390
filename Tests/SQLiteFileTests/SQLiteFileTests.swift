import FileSystem
import Foundation
import SQLiteFile
import SQLiteKit
import TestSupport
import Testing

/// What SQLite wrote, read by its file format alone.
struct SQLiteFileTests {
    @Test func theHeaderSaysWhatSQLiteWasAskedFor() throws {
        try withTemporaryDirectory { folder in
            for (size, encoding) in [(512, "UTF-8"), (4096, "UTF-16le"), (65_536, "UTF-16be")] {
                let path = folder.path + "/\(size)"
                let connection = try Connection(path, .create)
                try connection.execute("PRAGMA page_size=\(size); PRAGMA encoding='\(encoding)'; PRAGMA auto_vacuum=1")
                try connection.execute("CREATE TABLE t(a); CREATE TABLE u(a)")
                let pages = try connection.value("PRAGMA page_count")?.integer
                try connection.close()
                let header = try DatabaseHeader(of: PlainFile(File(path, .read)))
                #expect(header.hasMagic && header.hasValidPageSize && header.hasValidFractions && header.isConsistent)
                #expect(header.pageSize == size)
                #expect(header.pageCount == Int(pages ?? 0))
                #expect(
                    header.encoding
                        == [.utf8, .utf16LittleEndian, .utf16BigEndian][
                            ["UTF-8", "UTF-16le"]
                                .firstIndex(of: encoding) ?? 2])
                #expect(header.largestRootPage > 0 && header.freelistCount == 0 && header.reservedSize == 0)
            }
        }
    }

    /// Integers of every width, and records of every length around those that just fit into a page.
    @Test(arguments: sweep([512], all: [512, 1024, 65_536])) func rowsAreReadAsSQLiteWroteThem(pageSize: Int) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            var rows: [Int64: (SQLiteValue, SQLiteValue)] = [:]
            for bits in 0..<63 {
                for value in [Int64(1) << Int64(bits), -(Int64(1) << Int64(bits)), Int64(1) << Int64(bits) - 1] {
                    rows[value] = (.integer(value), .real(Double(value) + 0.5))
                }
            }
            for count in (pageSize - 60..<pageSize + 20) + [0, 1, 3 * pageSize, 10 * pageSize + 7] {
                rows[Int64(1_000_000 + count)] = (
                    .blob([UInt8](repeating: 7, count: count)), .text(String(repeating: "x", count: count / 3))
                )
            }
            rows[77] = (.null, .null)
            let connection = try Connection(path, .create)
            try connection.execute("PRAGMA page_size=\(pageSize); CREATE TABLE t(k INTEGER PRIMARY KEY, a, b)")
            for (key, row) in rows {
                try connection.run("INSERT INTO t VALUES(?, ?, ?)", [.integer(key), row.0, row.1])
            }
            let root = try connection.value("SELECT rootpage FROM sqlite_schema")?.integer
            try connection.close()
            let database = try DamagedDatabase(path)
            #expect(database.findings.isEmpty)
            var found: [Int64: (SQLiteValue, SQLiteValue)] = [:]
            let tree = database.tree(root: Int(root ?? 0))
            #expect(tree.lost.isEmpty && !tree.isDamaged)
            for leaf in tree.leaves {
                let isWhole = database.forEachRow(ofLeaf: leaf.page) { row in
                    #expect(row.isSound)
                    found[row.key] = (value(row[1]), value(row[2]))
                }
                #expect(isWhole)
            }
            #expect(found.count == rows.count)
            for (key, row) in rows { #expect(found[key].map { $0 == row } == true, "row \(key)") }
        }
    }

    private func value(_ cell: SalvagedCell) -> SQLiteValue {
        switch cell {
        case .null, .unreadable: .null
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
        case .blob(let bytes): .blob(bytes)
        }
    }

    /// Few frames over many pages and many over few are kept differently.
    @Test(arguments: sweep([40], all: [1, 40, 400])) func aWALHoldsThePagesThatACheckpointCopies(changes: Int) throws {
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let connection = try Connection(path, .create)
            try connection.execute("PRAGMA page_size=512")
            try connection.prepareForEditing()
            try connection.execute("CREATE TABLE t(k INTEGER PRIMARY KEY, a)")
            for key in 0..<400 {
                try connection.run(
                    "INSERT INTO t VALUES(?, ?)", [.integer(Int64(key)), .text(String(repeating: "a", count: 300))])
            }
            _ = try connection.checkpoint(.truncate)
            for key in 0..<changes {
                try connection.run("UPDATE t SET a = 'b' || substr(a, 2) WHERE k = ?", [.integer(Int64(key))])
            }
            let main = PlainFile(try File(path, .read)), log = PlainFile(try File(path + "-wal", .read))
            let wal = try #require(try WriteAheadLog(log))
            #expect(wal.commitCount == changes)
            let state = wal.state(after: wal.end.frames, main: main, log: log)
            #expect(!state.isMainFile)
            let pages = try bytes(state, oneByOne: false)
            #expect(try bytes(state, oneByOne: true) == pages)
            #expect(try connection.checkpoint(.truncate).isComplete)
            try connection.close()
            let copied = try bytes(DatabaseState(size: main.size(), pageSize: 512, main: main), oneByOne: false)
            // The first page counts the commits.
            #expect(pages.count == copied.count && pages.dropFirst(512) == copied.dropFirst(512))
        }
    }

    private func bytes(_ state: DatabaseState, oneByOne: Bool) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: state.pageCount * state.pageSize)
        try bytes.withUnsafeMutableBytes { buffer in
            guard oneByOne else { return try state.read(pages: 0..<state.pageCount, into: buffer) }
            for page in 0..<state.pageCount {
                let start = page * state.pageSize
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + state.pageSize])
                #expect(try state.read(page: page, into: room) == state.pageSize)
            }
        }
        return bytes
    }
}
