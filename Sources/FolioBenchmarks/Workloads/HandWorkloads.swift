import CSQLite
import Folio
import Foundation

/// The workloads as a careful person writes them: one statement prepared once, bound and stepped
/// for every row.
enum HandWorkloads {
    static func run(_ workload: Workload, size: Int, document: URL) async throws -> Measurement {
        let store = BenchmarkDocument.store(of: document).path
        return try await run(workload, size: size, document: document, store: store)
    }

    private static func run(_ workload: Workload, size: Int, document: URL, store: String) async throws -> Measurement {
        switch workload {
        case .w1: try insert(size, store)
        case .embeddingBulk: try await FolioWorkloads.fetch(document, passes: 1)
        case .embeddingGet: try await EmbeddingWorkload.getInSwift(document)
        case .w2: try fetch(store, passes: 1)
        case .w2b: try fetch(store, passes: 2)
        case .w3: try QueryWorkload.hand(size, store)
        case .w4: try update(size, store)
        case .w5: try smallCommits(workload.repetitions, store)
        case .w6a, .w6b: try RelationshipWorkloads.handReading(store, prefetches: workload == .w6a)
        case .w7a, .w7b: try RelationshipWorkloads.handDeletion(store, isWatched: workload == .w7a)
        case .w8: try await open(workload.repetitions, store)
        case .w9Add, .w9Rename, .w9Drop, .w9Split: try MigrationWorkload.hand(workload, store)
        case .w10Pack, .w10Unpack: try PackingWorkload.hand(document)
        case .w11a: ObjectWorkloads.handReading(size)
        case .w11b: ObjectWorkloads.handWriting(size)
        case .w11c: try await ObjectWorkloads.folioReading(document)
        case .w12a, .w12b: try await ObjectWorkloads.undo(document, .hand, redoes: workload == .w12b)
        case .w13a, .w13b: try WritingWorkload.hand(size, store, keepsVersion: workload == .w13b)
        case .w14: try PredicateWorkload.hand(size, store)
        case .storesBinary, .storesXML, .storesMemory: try StoreTypeWorkload.run(.sqlite, size: size, in: document)
        case .memory: try MemoryWorkload.run(.hand, size: size, URL(fileURLWithPath: store))
        case .w15a, .w15b:
            try await MergeWorkload.hand(document, size: size, isUnrelated: workload == .w15b)
        case .w16: try ImportWorkload.hand(size, document)
        case .startVersion, .startInfo: try StartWorkload.hand(store, isInfo: workload == .startInfo)
        }
    }

    private static func insert(_ size: Int, _ store: String) throws -> Measurement {
        let database = try HandDatabase(store)
        let watch = Stopwatch()
        try database.execute("BEGIN IMMEDIATE")
        let statement = try database.prepare(
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME, ZNUMBER, ZRATIO, ZFLAG, ZCREATED, ZIDENTIFIER) VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?)"
        )
        for index in 0..<size {
            sqlite3_bind_int64(statement, 1, Int64(index + 1))
            var name = Item.name(index)
            _ = name.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text(statement, 2, $0.baseAddress, Int32($0.count), transient)
                }
            }
            sqlite3_bind_int64(statement, 3, Item.number(index))
            sqlite3_bind_double(statement, 4, Item.ratio(index))
            sqlite3_bind_int64(statement, 5, Item.flag(index) ? 1 : 0)
            sqlite3_bind_double(statement, 6, Item.seconds(index))
            withUnsafeBytes(of: Item.uuid(index).uuid) {
                _ = sqlite3_bind_blob(statement, 7, $0.baseAddress, 16, transient)
            }
            guard sqlite3_step(statement) == SQLITE_DONE else { throw BenchmarkError("insert failed") }
            sqlite3_reset(statement)
        }
        sqlite3_finalize(statement)
        try database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(size) WHERE Z_NAME = 'Item'")
        try database.execute("COMMIT")
        try database.checkpoint()
        return try watch.measurement(checksum: checksum(ofStore: store))
    }

    private static func fetch(_ store: String, passes: Int) throws -> Measurement {
        let database = try HandDatabase(store)
        var watch = Stopwatch()
        var checksum = Checksum()
        for _ in 0..<passes {
            // Each pass is timed alone: the last one counts.
            watch = Stopwatch()
            checksum = try read(database)
        }
        return watch.measurement(checksum: checksum.value)
    }

    private static func read(_ database: HandDatabase) throws -> Checksum {
        var checksum = Checksum()
        let statement = try database.prepare("SELECT ZNAME, ZNUMBER, ZRATIO, ZFLAG, ZCREATED, ZIDENTIFIER FROM ZITEM")
        defer { sqlite3_finalize(statement) }
        while sqlite3_step(statement) == SQLITE_ROW {
            let name = String(
                decoding: UnsafeBufferPointer(
                    start: sqlite3_column_text(statement, 0), count: Int(sqlite3_column_bytes(statement, 0))),
                as: UTF8.self)
            checksum.add(UInt64(name.utf8.count))
            checksum.add(UInt64(bitPattern: sqlite3_column_int64(statement, 1)))
            checksum.add(sqlite3_column_double(statement, 2).bitPattern)
            checksum.add(sqlite3_column_int64(statement, 3) != 0 ? 1 : 0)
            checksum.add(sqlite3_column_double(statement, 4).bitPattern)
            var uuid = zeroUUID
            withUnsafeMutableBytes(of: &uuid) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 5), count: 16))
            }
            checksum.add(UInt64(UUID(uuid: uuid).uuid.0))
        }
        return checksum
    }

    private static func update(_ size: Int, _ store: String) throws -> Measurement {
        let database = try HandDatabase(store)
        // Whoever changes an object has read it: the pages are in the cache of both contestants.
        _ = try read(database)
        let watch = Stopwatch()
        try database.execute("BEGIN IMMEDIATE")
        let statement = try database.prepare("UPDATE ZITEM SET ZNUMBER = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?")
        for index in 0..<size {
            sqlite3_bind_int64(statement, 1, Item.number(index) + 1)
            sqlite3_bind_int64(statement, 2, 2)
            sqlite3_bind_int64(statement, 3, Int64(index + 1))
            sqlite3_bind_int64(statement, 4, 1)
            guard sqlite3_step(statement) == SQLITE_DONE, sqlite3_changes(database.handle) == 1 else {
                throw BenchmarkError("update failed")
            }
            sqlite3_reset(statement)
        }
        sqlite3_finalize(statement)
        try database.execute("COMMIT")
        try database.checkpoint()
        return try watch.measurement(checksum: checksum(ofStore: store))
    }

    private static func smallCommits(_ repetitions: Int, _ store: String) throws -> Measurement {
        let database = try HandDatabase(store)
        let statement = try database.prepare(
            "UPDATE ZITEM SET ZNUMBER = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = 1 AND Z_OPT = ?")
        let begin = try database.prepare("BEGIN IMMEDIATE")
        let commit = try database.prepare("COMMIT")
        let watch = Stopwatch()
        for index in 0..<repetitions {
            sqlite3_step(begin)
            sqlite3_reset(begin)
            sqlite3_bind_int64(statement, 1, Int64(index))
            sqlite3_bind_int64(statement, 2, Int64(index + 1))
            guard sqlite3_step(statement) == SQLITE_DONE, sqlite3_changes(database.handle) == 1 else {
                throw BenchmarkError("update failed")
            }
            sqlite3_reset(statement)
            sqlite3_step(commit)
            sqlite3_reset(commit)
        }
        let measured = watch.measurement(repetitions: repetitions, checksum: UInt64(repetitions - 1))
        for statement in [statement, begin, commit] { sqlite3_finalize(statement) }
        return measured
    }

    private static func open(_ repetitions: Int, _ store: String) async throws -> Measurement {
        var checksum = Checksum()
        var watch = Stopwatch()
        for _ in 0..<repetitions {
            let database = try HandDatabase(store)
            let statement = try database.prepare(
                "SELECT ZNAME, ZNUMBER, ZRATIO, ZFLAG, ZCREATED, ZIDENTIFIER FROM ZITEM ORDER BY Z_PK LIMIT 1")
            guard sqlite3_step(statement) == SQLITE_ROW else { throw BenchmarkError("no rows") }
            checksum.add(UInt64(sqlite3_column_bytes(statement, 0)))
            checksum.add(UInt64(bitPattern: sqlite3_column_int64(statement, 1)))
            sqlite3_finalize(statement)
            await watch.excluding { database.close() }
        }
        return watch.measurement(repetitions: repetitions, checksum: checksum.value)
    }

    /// A digest of what stands in the table, read without the contestant's help.
    static func checksum(ofStore store: String) throws -> UInt64 {
        let database = try HandDatabase(store)
        let statement = try database.prepare(
            "SELECT Z_PK, Z_ENT, Z_OPT, ZNAME, ZNUMBER, ZRATIO, ZFLAG, ZCREATED, ZIDENTIFIER FROM ZITEM ORDER BY Z_PK")
        defer { sqlite3_finalize(statement) }
        var checksum = Checksum()
        while sqlite3_step(statement) == SQLITE_ROW {
            for column in 0..<sqlite3_column_count(statement) {
                switch sqlite3_column_type(statement, column) {
                case SQLITE_INTEGER: checksum.add(UInt64(bitPattern: sqlite3_column_int64(statement, column)))
                case SQLITE_FLOAT: checksum.add(sqlite3_column_double(statement, column).bitPattern)
                case SQLITE_NULL: checksum.add(0)
                default:
                    let bytes = UnsafeRawBufferPointer(
                        start: sqlite3_column_blob(statement, column),
                        count: Int(sqlite3_column_bytes(statement, column)))
                    for byte in bytes { checksum.add(UInt64(byte)) }
                }
            }
        }
        return checksum.value
    }
}

private let zeroUUID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
