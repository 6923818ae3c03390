import CSQLite
import Foundation

/// A database opened without any of Folio's guards, to do with it what no honest program does.
enum RawDatabase {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs statements on a database file; nothing is left beside it.
    static func run(_ sql: String, on path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw Failure(description: "can't open \(path)")
        }
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(
                description: "\(handle.map { String(cString: sqlite3_errmsg($0)) } ?? ""): \(sql.prefix(200))")
        }
    }

    /// The number of the first page of a table or index.
    static func rootPage(of name: String, in path: String) throws -> Int {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw Failure(description: "can't open \(path)")
        }
        defer { sqlite3_close_v2(handle) }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard
            sqlite3_prepare_v2(handle, "SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'", -1, &statement, nil)
                == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { throw Failure(description: "no table \(name)") }
        return Int(sqlite3_column_int64(statement, 0))
    }
}
