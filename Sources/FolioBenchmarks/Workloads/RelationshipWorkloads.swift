import CSQLite
import Folio
import Foundation

/// W6 and W7: going through departments and their employees, and deleting them.
enum RelationshipWorkloads {
    // MARK: Reading

    static func folioReading(_ url: URL, prefetches: Bool) async throws -> Measurement {
        let document = try await PersistentDocument.open(url)
        guard let departments = document.model.entity(named: "Department"),
            let employees = document.model.entity(named: "Employee")
        else {
            throw BenchmarkError("the document has no staff")
        }
        let members = try departments.toMany("employees")
        let title: AttributeKey<String> = try departments.attribute("name"),
            name: AttributeKey<String> = try employees.attribute("name")
        var request = FetchRequest<ManagedObject>(entityName: "Department")
        if prefetches { request.relationshipKeyPathsForPrefetching = ["employees"] }
        let watch = Stopwatch()
        var sum = NameSum()
        for department in try document.context.fetch(request) {
            sum.add(department[title] ?? "")
            for employee in department[members] { sum.add(employee[name] ?? "") }
        }
        let measured = watch.measurement(checksum: sum.value)
        try await document.close()
        return measured
    }

    static func handReading(_ store: String, prefetches: Bool) throws -> Measurement {
        let database = try HandDatabase(store)
        let watch = Stopwatch()
        var sum = NameSum()
        let departments = try database.prepare("SELECT Z_PK, ZNAME FROM ZDEPARTMENT")
        defer { sqlite3_finalize(departments) }
        if prefetches {
            while sqlite3_step(departments) == SQLITE_ROW { sum.add(text(departments, 1)) }
            let employees = try database.prepare(
                "SELECT e.ZNAME FROM ZEMPLOYEE e JOIN ZDEPARTMENT d ON d.Z_PK = e.ZDEPARTMENT")
            defer { sqlite3_finalize(employees) }
            while sqlite3_step(employees) == SQLITE_ROW { sum.add(text(employees, 0)) }
        } else {
            let employees = try database.prepare("SELECT ZNAME FROM ZEMPLOYEE WHERE ZDEPARTMENT = ?")
            defer { sqlite3_finalize(employees) }
            while sqlite3_step(departments) == SQLITE_ROW {
                sum.add(text(departments, 1))
                sqlite3_bind_int64(employees, 1, sqlite3_column_int64(departments, 0))
                while sqlite3_step(employees) == SQLITE_ROW { sum.add(text(employees, 0)) }
                sqlite3_reset(employees)
            }
        }
        return watch.measurement(checksum: sum.value)
    }

    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        String(
            decoding: UnsafeBufferPointer(
                start: sqlite3_column_text(statement, column), count: Int(sqlite3_column_bytes(statement, column))),
            as: UTF8.self)
    }

    // MARK: Deleting

    /// - Parameter isWatched: Whether somebody has the employees, as a list on the screen has.
    static func folioDeletion(_ url: URL, isWatched: Bool) async throws -> Measurement {
        let document = try await PersistentDocument.open(url)
        // Undo is one who watches too: it keeps what it may have to bring back.
        if !isWatched { document.context.undoManager = nil }
        let departments = try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Department"))
        let watched = isWatched ? try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Employee")) : []
        let watch = Stopwatch()
        for department in departments { document.context.delete(department) }
        try await document.save()
        var measured = watch.measurement(checksum: 0)
        guard watched.allSatisfy({ $0.managedObjectContext == nil }) else { throw BenchmarkError("an employee stayed") }
        try await document.close()
        measured.checksum = try remaining(url.appendingPathComponent("store/store.sqlite").path)
        return measured
    }

    static func handDeletion(_ store: String, isWatched: Bool) throws -> Measurement {
        let database = try HandDatabase(store)
        // Whoever has the employees has read them.
        let departments = try keys("SELECT Z_PK, Z_OPT FROM ZDEPARTMENT", database)
        let employees =
            isWatched
            ? try keys("SELECT Z_PK, Z_OPT, ZNAME, ZSALARY, ZJOINED, ZDEPARTMENT FROM ZEMPLOYEE", database) : []
        let watch = Stopwatch()
        try database.execute("BEGIN IMMEDIATE")
        if isWatched {
            try delete("DELETE FROM ZEMPLOYEE WHERE Z_PK = ? AND Z_OPT = ?", employees, database)
        } else {
            let statement = try database.prepare("DELETE FROM ZEMPLOYEE WHERE ZDEPARTMENT = ?")
            defer { sqlite3_finalize(statement) }
            for department in departments {
                sqlite3_bind_int64(statement, 1, department.key)
                guard sqlite3_step(statement) == SQLITE_DONE else { throw BenchmarkError("delete failed") }
                sqlite3_reset(statement)
            }
        }
        try delete("DELETE FROM ZDEPARTMENT WHERE Z_PK = ? AND Z_OPT = ?", departments, database)
        try database.execute("COMMIT")
        try database.checkpoint()
        return try watch.measurement(checksum: remaining(store))
    }

    private typealias Version = (key: Int64, version: Int64)

    private static func keys(_ sql: String, _ database: HandDatabase) throws -> [Version] {
        let statement = try database.prepare(sql)
        defer { sqlite3_finalize(statement) }
        var keys: [Version] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            keys.append((sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1)))
        }
        return keys
    }

    private static func delete(_ sql: String, _ keys: [Version], _ database: HandDatabase) throws {
        let statement = try database.prepare(sql)
        defer { sqlite3_finalize(statement) }
        for key in keys {
            sqlite3_bind_int64(statement, 1, key.key)
            sqlite3_bind_int64(statement, 2, key.version)
            guard sqlite3_step(statement) == SQLITE_DONE, sqlite3_changes(database.handle) == 1 else {
                throw BenchmarkError("delete failed")
            }
            sqlite3_reset(statement)
        }
    }

    private static func remaining(_ store: String) throws -> UInt64 {
        let database = try HandDatabase(store)
        let left = try keys("SELECT (SELECT count(*) FROM ZDEPARTMENT), (SELECT count(*) FROM ZEMPLOYEE)", database)
        return UInt64(left[0].key) << 32 | UInt64(left[0].version)
    }
}

/// What was read of names, in whatever order they came.
struct NameSum {
    private(set) var value: UInt64 = 0

    mutating func add(_ name: String) { value &+= UInt64(name.utf8.count) &* 31 &+ UInt64(name.utf8.last ?? 0) }
}
