import CSQLite
import Folio
import Foundation

/// W13: how many bytes a commit writes, beside the bytes of the pages that it changes.
enum WritingWorkload {
    private static let autosaves = 50
    /// Every so many objects one is changed for the save that keeps a version.
    private static let distance = 997

    /// What this process has written so far, in calls that write.
    private static func written() throws -> Double {
        guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("wchar:") }),
            let number = Double(line.dropFirst("wchar:".count).trimmingCharacters(in: .whitespaces))
        else { throw BenchmarkError("the system does not count what is written") }
        return number
    }

    static func folio(_ url: URL, keepsVersion: Bool) async throws -> Measurement {
        let document = try await PersistentDocument.open(url)
        guard let entity = document.model.entity(named: Item.entityName) else {
            throw BenchmarkError("the document has no items")
        }
        let number: AttributeKey<Int64> = try entity.attribute("number")
        var request = FetchRequest<ManagedObject>(entityName: Item.entityName)
        if !keepsVersion { request.fetchLimit = 1 }
        let items = try document.context.fetch(request)
        let watch = Stopwatch()
        let before = try written()
        var count = 1.0
        if keepsVersion {
            for index in stride(from: 0, to: items.count, by: distance) { items[index][number] = -1 }
            try await document.save()
        } else {
            count = Double(autosaves)
            for pass in 1...autosaves {
                items[0][number] = Int64(-pass)
                try await document.autosave()
            }
        }
        let bytes = (try written() - before) / count
        var measured = watch.measurement(repetitions: Int(count), checksum: 0)
        measured.bytes = bytes
        try await document.save()
        try await document.close()
        return measured
    }

    /// The bytes of the pages that the same change touches.
    static func hand(_ size: Int, _ store: String, keepsVersion: Bool) throws -> Measurement {
        let database = try HandDatabase(store)
        let statement = try database.prepare("UPDATE ZITEM SET ZNUMBER = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
        defer { sqlite3_finalize(statement) }
        let watch = Stopwatch()
        try database.execute("BEGIN IMMEDIATE")
        for index in keepsVersion ? Array(stride(from: 0, to: size, by: distance)) : [0] {
            sqlite3_bind_int64(statement, 1, -1)
            sqlite3_bind_int64(statement, 2, Int64(index + 1))
            guard sqlite3_step(statement) == SQLITE_DONE, sqlite3_changes(database.handle) == 1 else {
                throw BenchmarkError("update failed")
            }
            sqlite3_reset(statement)
        }
        try database.execute("COMMIT")
        var measured = watch.measurement(checksum: 0)
        let log = try FileManager.default.attributesOfItem(atPath: store + "-wal")[.size] as? Int ?? 0
        // A header of 32 bytes, then frames of a header of 24 bytes and a page each.
        measured.bytes = Double((log - 32) / (24 + 4096) * 4096)
        return measured
    }
}
