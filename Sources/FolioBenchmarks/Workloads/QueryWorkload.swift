import CSQLite
import Folio
import Foundation

/// W3: a thousand fetches of a thousand employees by their salary, which has an index, in the order
/// in which they joined.
enum QueryWorkload {
    private static let fetches = 1_000
    private static let limit = 1_000

    static func folio(_ size: Int, _ url: URL) async throws -> Measurement {
        let document = try await PersistentDocument.open(url)
        guard let employees = document.model.entity(named: "Employee") else {
            throw BenchmarkError("the document has no staff")
        }
        let name: AttributeKey<String> = try employees.attribute("name"),
            joined: AttributeKey<Date> = try employees.attribute("joined")
        var request = FetchRequest<ManagedObject>(entityName: "Employee")
        request.sortDescriptors = [SortKey("joined")]
        request.fetchLimit = limit
        let watch = Stopwatch()
        var checksum = Checksum()
        for index in 0..<fetches {
            request.predicate = try FetchPredicate(
                format: "salary == %@", arguments: [PropertyValue.int(Staff.salary(index, size: size))])
            for employee in try document.context.fetch(request) {
                checksum.add(UInt64(employee[name]?.utf8.count ?? -1))
                checksum.add((employee[joined]?.timeIntervalSinceReferenceDate ?? -1).bitPattern)
            }
        }
        let measured = watch.measurement(checksum: checksum.value)
        try await document.close()
        return measured
    }

    static func hand(_ size: Int, _ store: String) throws -> Measurement {
        let database = try HandDatabase(store)
        let watch = Stopwatch()
        var checksum = Checksum()
        let statement = try database.prepare(
            "SELECT Z_PK, Z_OPT, ZNAME, ZSALARY, ZJOINED, ZDEPARTMENT FROM ZEMPLOYEE WHERE ZSALARY = ? ORDER BY ZJOINED LIMIT \(limit)"
        )
        defer { sqlite3_finalize(statement) }
        for index in 0..<fetches {
            sqlite3_bind_int64(statement, 1, Staff.salary(index, size: size))
            while sqlite3_step(statement) == SQLITE_ROW {
                let name = String(
                    decoding: UnsafeBufferPointer(
                        start: sqlite3_column_text(statement, 2), count: Int(sqlite3_column_bytes(statement, 2))),
                    as: UTF8.self)
                checksum.add(UInt64(name.utf8.count))
                checksum.add(sqlite3_column_double(statement, 4).bitPattern)
            }
            sqlite3_reset(statement)
        }
        return watch.measurement(checksum: checksum.value)
    }
}
