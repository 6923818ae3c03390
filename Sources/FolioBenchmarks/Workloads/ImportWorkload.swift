import CSQLite
import Foundation

/// W16: `folio import` of n CSV rows of five columns (text, whole number, number, boolean, date),
/// beside the same file read by hand into a plain table, one prepared statement and one
/// transaction. The command is a process of its own, so that its start is counted and its memory is
/// seen.
enum ImportWorkload {
    /// Why it can't be run here; nil where it can.
    static func obstacle(beside program: URL) -> String? { StartWorkload.missingCommand(beside: program) }

    static func folio(_ size: Int, _ document: URL) throws -> Measurement {
        guard let program = Bundle.main.executableURL else {
            throw BenchmarkError("can't find this program's own file")
        }
        let file = try makeFile(size, beside: document)
        defer { try? FileManager.default.removeItem(at: file) }
        var measured = try StartWorkload.measure(
            StartWorkload.command(beside: program), ["import", document.path, file.path, "--entity", Item.entityName],
            repetitions: 1)
        measured.checksum = try checksum(
            BenchmarkDocument.store(of: document).path, "SELECT count(*), sum(ZNUMBER) FROM ZITEM")
        return measured
    }

    static func hand(_ size: Int, _ document: URL) throws -> Measurement {
        let file = try makeFile(size, beside: document), store = BenchmarkDocument.store(of: document).path
        defer { try? FileManager.default.removeItem(at: file) }
        let watch = Stopwatch()
        let database = try HandDatabase(store)
        try database.execute(
            "CREATE TABLE plain (name TEXT, number TEXT, ratio TEXT, flag TEXT, created TEXT); BEGIN IMMEDIATE")
        let statement = try database.prepare("INSERT INTO plain VALUES (?, ?, ?, ?, ?)")
        try forEachRow(of: file) { bytes, fields in
            for (index, field) in fields.enumerated() {
                let start = bytes.baseAddress.map {
                    UnsafeRawPointer($0 + field.lowerBound).assumingMemoryBound(to: CChar.self)
                }
                sqlite3_bind_text(statement, Int32(index + 1), start, Int32(field.count), nil)
            }
            guard sqlite3_step(statement) == SQLITE_DONE else { throw BenchmarkError("insert failed") }
            sqlite3_reset(statement)
        }
        sqlite3_finalize(statement)
        try database.execute("COMMIT")
        try database.checkpoint()
        return try watch.measurement(checksum: checksum(store, "SELECT count(*), sum(number) FROM plain"))
    }

    private static func makeFile(_ size: Int, beside document: URL) throws -> URL {
        let file = document.deletingLastPathComponent().appendingPathComponent("items.csv")
        var text = "name,number,ratio,flag,created\n"
        let date = Date.ISO8601FormatStyle()
        for index in 0..<size {
            let created = Date(timeIntervalSinceReferenceDate: Item.seconds(index).rounded()).formatted(date)
            text += "\(Item.name(index)),\(Item.number(index)),\(Item.ratio(index)),\(Item.flag(index)),\(created)\n"
        }
        try Data(text.utf8).write(to: file)
        return file
    }

    /// The rows of a file in which no field has quotes, without the first; the fields as places in
    /// the bytes.
    private static func forEachRow(of file: URL, _ body: (UnsafeBufferPointer<UInt8>, [Range<Int>]) throws -> Void)
        throws
    {
        let content = try [UInt8](Data(contentsOf: file))
        try content.withUnsafeBufferPointer { bytes in
            var fields: [Range<Int>] = [], start = 0, isHeader = true
            for place in 0..<bytes.count where bytes[place] == UInt8(ascii: ",") || bytes[place] == 0x0A {
                fields.append(start..<place)
                start = place + 1
                guard bytes[place] == 0x0A else { continue }
                if !isHeader { try body(bytes, fields) }
                isHeader = false
                fields.removeAll(keepingCapacity: true)
            }
        }
    }

    private static func checksum(_ store: String, _ query: String) throws -> UInt64 {
        let database = try HandDatabase(store)
        let statement = try database.prepare(query)
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { throw BenchmarkError("\(query): no result") }
        var checksum = Checksum()
        for column in 0..<2 as Range<Int32> {
            checksum.add(UInt64(bitPattern: sqlite3_column_int64(statement, column)))
        }
        return checksum.value
    }
}
