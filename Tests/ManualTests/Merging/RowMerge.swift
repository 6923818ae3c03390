import CSQLite
import Foundation

/// The session extension of the system's SQLite, as far as a merge by rows needs it. Headers
/// declare it only where a program asks for it, so it is looked up by name.
enum RowMerge {
    private typealias Create =
        @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) ->
        Int32
    private typealias Attach = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Int32
    private typealias Diff =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> Int32
    private typealias Changeset =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<Int32>, UnsafeMutablePointer<UnsafeMutableRawPointer?>
        ) -> Int32
    private typealias Delete = @convention(c) (OpaquePointer?) -> Void
    private typealias Filter = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32
    private typealias Conflict = @convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32
    private typealias Apply =
        @convention(c) (
            OpaquePointer?, Int32, UnsafeMutableRawPointer?, Filter?, Conflict, UnsafeMutableRawPointer?
        ) -> Int32
    fileprivate typealias Operation =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<CChar>?>, UnsafeMutablePointer<Int32>,
            UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Int32>?
        ) -> Int32
    fileprivate typealias Value =
        @convention(c) (
            OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>
        ) -> Int32

    fileprivate static func function<Function>(_ name: String, _ type: Function.Type = Function.self) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }

    static var isAvailable: Bool {
        sqlite3_compileoption_used("ENABLE_SESSION") != 0 && dlsym(nil, "sqlite3session_diff") != nil
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What one database did to another, as a changeset of rows, applied to a third. What has been
    /// done there already is left out; everything else that does not fit refuses the whole.
    /// - Returns: Why it is refused; nil if it is done.
    static func merge(base: String, ours: RowDatabase, theirs: RowDatabase, tables: [String]) throws -> String? {
        guard let create: Create = function("sqlite3session_create"),
            let attach: Attach = function("sqlite3session_attach"),
            let diff: Diff = function("sqlite3session_diff"),
            let changeset: Changeset = function("sqlite3session_changeset"),
            let delete: Delete = function("sqlite3session_delete"),
            let apply: Apply = function("sqlite3changeset_apply")
        else { throw Failure(description: "no session extension") }
        try theirs.execute("ATTACH '\(base)' AS base")
        var session: OpaquePointer?
        guard create(theirs.handle, "main", &session) == SQLITE_OK, attach(session, nil) == SQLITE_OK else {
            throw Failure(description: "no session")
        }
        defer { delete(session) }
        for table in tables {
            let code = diff(session, "base", table, nil)
            if code == SQLITE_SCHEMA { return "another schema" }
            guard code == SQLITE_OK else { throw Failure(description: "difference of \(table): \(code)") }
        }
        var count: Int32 = 0, bytes: UnsafeMutableRawPointer?
        guard changeset(session, &count, &bytes) == SQLITE_OK else { throw Failure(description: "no changeset") }
        defer { sqlite3_free(bytes) }
        final class Reason { var text: String? }
        let reason = Reason()
        let code = apply(
            ours.handle, count, bytes, nil,
            { context, kind, iterator in
                let change = RowChange(iterator)
                if change.isDone(kind) { return 0 }
                guard let context else { return 2 }
                Unmanaged<Reason>.fromOpaque(context).takeUnretainedValue().text = change.reason(kind)
                return 2
            }, Unmanaged.passUnretained(reason).toOpaque())
        if code == SQLITE_OK { return nil }
        return reason.text ?? "SQLite's error \(code)"
    }
}

/// A change that does not fit.
private struct RowChange {
    private let iterator: OpaquePointer?
    private var table = ""
    private var columns: Int32 = 0
    private var operation: Int32 = 0

    init(_ iterator: OpaquePointer?) {
        self.iterator = iterator
        var name: UnsafePointer<CChar>?
        guard let function: RowMerge.Operation = RowMerge.function("sqlite3changeset_op") else { return }
        if function(iterator, &name, &columns, &operation, nil) == SQLITE_OK, let name { table = String(cString: name) }
    }

    /// Whether the other side has done the same: deleted the row, or given it the same values.
    func isDone(_ kind: Int32) -> Bool {
        if operation == SQLITE_DELETE { return kind == 2 }
        guard [1, 3].contains(kind), let new: RowMerge.Value = RowMerge.function("sqlite3changeset_new"),
            let present: RowMerge.Value = RowMerge.function("sqlite3changeset_conflict")
        else { return false }
        return (0..<columns).allSatisfy { column in
            var wanted: OpaquePointer?, found: OpaquePointer?
            guard new(iterator, column, &wanted) == SQLITE_OK, present(iterator, column, &found) == SQLITE_OK else {
                return false
            }
            // What an update does not change has no new value.
            guard let wanted else { return operation == SQLITE_UPDATE }
            return Self.bytes(wanted) == Self.bytes(found)
        }
    }

    private static func bytes(_ value: OpaquePointer?) -> [UInt8] {
        let type = sqlite3_value_type(value), count = Int(sqlite3_value_bytes(value))
        guard count > 0, let start = sqlite3_value_blob(value) else { return [UInt8(type)] }
        return [UInt8(type)] + UnsafeRawBufferPointer(start: start, count: count)
    }

    func reason(_ kind: Int32) -> String {
        switch kind {
        case 1: "a row of `\(table)` differs"
        case 2: "a row of `\(table)` is gone"
        case 3: "a key of `\(table)` is taken"
        case 4: "a constraint of `\(table)`"
        default: "foreign keys"
        }
    }
}

/// A database that is not Folio's.
final class RowDatabase {
    let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else {
            throw RowMerge.Failure(description: "can't open \(path)")
        }
        self.handle = handle
        try execute("PRAGMA foreign_keys = ON")
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        var message: UnsafeMutablePointer<CChar>?
        guard sqlite3_exec(handle, sql, nil, nil, &message) == SQLITE_OK else {
            let text = message.map { String(cString: $0) } ?? ""
            sqlite3_free(message)
            throw RowMerge.Failure(description: "\(text): \(sql.prefix(200))")
        }
    }

    /// The first column of all rows, as text.
    func column(_ sql: String) throws -> [String?] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw RowMerge.Failure(description: "\(String(cString: sqlite3_errmsg(handle))): \(sql)")
        }
        defer { sqlite3_finalize(statement) }
        var rows: [String?] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) })
        }
        return rows
    }
}
