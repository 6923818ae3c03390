import FileSystem
import Foundation
import SQLiteFile
import SQLiteKit
import TestSupport
import Testing

/// Databases and WALs whose headers say impossible things: a typed error or a result, and no
/// arithmetic that runs over.
struct ExtremeHeaderTests {
    private let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)"

    private func typed(_ body: () throws -> Void) throws {
        do { try body() } catch is SQLiteError {} catch is FileSystemError {}
    }

    private func look(at path: String) throws {
        try typed { _ = try WriteAheadLog.committedFrames(ofStoreAt: path) }
        try typed {
            let connection = try Connection(path, .readWrite)
            try typed {
                _ = try connection.scanning("t", [.named("id"), .named("a"), .named("b")]) { scan in
                    try scan.forEachRow { row in
                        _ = (row.int64(at: 0), row.typeNumber(at: 1))
                        row.withText(at: 1) { _ = $0.count }
                        row.withBlob(at: 2) { _ = $0.count }
                    }
                }
            }
            try typed {
                try connection.withFiles { files in
                    let state = files.current
                    #expect(state.size < 1 << 30)
                    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: state.pageSize, alignment: 8)
                    defer { buffer.deallocate() }
                    for page in 0..<min(state.pageCount, 4) { _ = try state.read(page: page, into: buffer) }
                    _ = files.pagesWritten(since: nil)
                }
            }
            try connection.close()
        }
    }

    @Test func pagesAreReadOrRefused() throws {
        var dice = SplitMix(state: 24)
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            do {
                let connection = try Connection(path, .create)
                try connection.execute("PRAGMA page_size=512")
                try connection.execute(table)
                for row in 0..<60 {
                    try connection.run(
                        "INSERT INTO t(a, b) VALUES (?, zeroblob(?))",
                        [.text("row \(row)"), .integer(row == 7 ? 2_000 : 9)])
                }
                try connection.close()
            }
            let good = try Disk.read(path, limit: 1 << 20)
            // The file's header, then the headers and the first cells of all pages.
            var fields: [(Int, Int)] = [
                (16, 2), (20, 1), (24, 4), (28, 4), (32, 4), (36, 4), (40, 4), (52, 4), (56, 4), (92, 4),
            ]
            for page in 0..<good.count / 512 {
                let start = page == 0 ? 100 : page * 512
                fields += [(start + 1, 2), (start + 3, 2), (start + 5, 2), (start + 8, 4), (start + 12, 2)]
                let cell = page * 512 + (Int(good[start + 8]) << 8 | Int(good[start + 9])) % 500
                fields += [(cell, 1), (cell, 9), (cell + 1, 4), (cell + 2, 1), (cell + 3, 2)]
            }
            for _ in 0..<sweep(200, all: 3_000) {
                var bytes = good
                for _ in 0...(dice.next() % 3) {
                    let field = fields[Int(dice.next() % UInt64(fields.count))]
                    dice.putExtreme(into: &bytes, at: field.0, count: field.1, isBigEndian: true)
                }
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                try look(at: path)
                for end in ["-wal", "-shm", "-journal"] { _ = try Disk.removeFileIfPresent(path + end) }
            }
        }
    }

    /// The sums are made to fit, so that only the numbers can be objected to.
    @Test func walsAreReadOrRefused() throws {
        var dice = SplitMix(state: 25)
        try withTemporaryDirectory { folder in
            let path = folder.path + "/a"
            let (main, wal) = try {
                let connection = try Connection(path, .create)
                try connection.execute("PRAGMA page_size=512")
                try connection.prepareForEditing()
                try connection.execute(table)
                _ = try connection.checkpoint(.truncate)
                for row in 0..<3 {
                    try connection.run("INSERT INTO t(a, b) VALUES (?, ?)", [.text("row \(row)"), .integer(1)])
                }
                let files = try (Disk.read(path, limit: 1 << 20), Disk.read(path + "-wal", limit: 1 << 20))
                try connection.close()
                return files
            }()
            let frame = 24 + 512
            for round in 0..<sweep(150, all: 2_000) {
                var bytes = wal
                for _ in 0...(dice.next() % 2) {
                    let header = [(8, 4), (12, 4), (16, 4), (20, 4)]
                    let place = 32 + frame * Int(dice.next() % UInt64((wal.count - 32) / frame))
                    let field =
                        dice.next() % 4 == 0 ? header[Int(dice.next() % 4)] : (place + 4 * Int(dice.next() % 2), 4)
                    dice.putExtreme(into: &bytes, at: field.0, count: field.1, isBigEndian: true)
                }
                sum(&bytes, frame)
                try Data(main).write(to: URL(fileURLWithPath: path))
                try Data(bytes).write(to: URL(fileURLWithPath: path + "-wal"))
                try look(at: path)
                for end in ["-wal", "-shm"] { _ = try Disk.removeFileIfPresent(path + end) }
                if round == 0 { #expect(wal.count > 32 + 2 * frame) }
            }
        }
    }

    private func sum(_ bytes: inout [UInt8], _ frame: Int) {
        let isBigEndian = bytes[3] & 1 == 1
        var first: UInt32 = 0, second: UInt32 = 0
        func word(_ place: Int) -> UInt32 {
            let word = bytes[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return isBigEndian ? word : word.byteSwapped
        }
        func add(_ range: Range<Int>) {
            for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                first &+= word(place) &+ second
                second &+= word(place + 4) &+ first
            }
        }
        func put(_ place: Int) {
            for (offset, number) in [(0, first), (4, second)] {
                withUnsafeBytes(of: number.bigEndian) {
                    bytes.replaceSubrange(place + offset..<place + offset + 4, with: $0)
                }
            }
        }
        add(0..<24)
        put(24)
        for start in stride(from: 32, through: bytes.count - frame, by: frame) {
            bytes.replaceSubrange(start + 8..<start + 16, with: bytes[16..<24])
            add(start..<start + 8)
            add(start + 24..<start + frame)
            put(start + 16)
        }
    }
}
