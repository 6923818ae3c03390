internal import CSQLite

/// A statement that a connection has run while it was being traced.
package struct TracedStatement: Sendable, Hashable {
    package var sql: String
    package var seconds: Double
    package var rowCount: Int
    /// At most `TraceRecorder.mostRows`.
    package var rows: [[String]]
    package var plan: [String]
}

/// The details that a trace records.
package struct TraceOptions: Sendable, Hashable {
    package var expandsArguments: Bool
    package var keepsRows: Bool
    package var explains: Bool

    package init(expandsArguments: Bool, keepsRows: Bool, explains: Bool) {
        self.expandsArguments = expandsArguments
        self.keepsRows = keepsRows
        self.explains = explains
    }
}

/// Records the statements of one connection. Used only where the connection is used.
final class TraceRecorder {
    static let mostRows = 1_000
    let options: TraceOptions
    var finished: [TracedStatement] = []
    /// The rows of active statements so far, by statement.
    private var running: [OpaquePointer: (count: Int, rows: [[String]])] = [:]
    /// Whether the recorder itself is querying plans.
    var isPaused = false

    init(_ options: TraceOptions) { self.options = options }

    func row(_ statement: OpaquePointer) {
        guard !isPaused else { return }
        var entry = running[statement] ?? (0, [])
        entry.count += 1
        if options.keepsRows, entry.rows.count < Self.mostRows {
            entry.rows.append((0..<sqlite3_data_count(statement)).map { Self.text(statement, $0) })
        }
        running[statement] = entry
    }

    func finish(_ statement: OpaquePointer, nanoseconds: Int64) {
        guard !isPaused else { return }
        let entry = running.removeValue(forKey: statement) ?? (0, [])
        var sql = sqlite3_sql(statement).map { String(cString: $0) } ?? ""
        if options.expandsArguments, let expanded = sqlite3_expanded_sql(statement) {
            sql = String(cString: expanded)
            sqlite3_free(expanded)
        }
        finished.append(
            TracedStatement(
                sql: sql, seconds: Double(nanoseconds) / 1e9, rowCount: entry.count, rows: entry.rows, plan: []))
    }

    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_NULL: "NULL"
        case SQLITE_BLOB: "blob of \(sqlite3_column_bytes(statement, column)) bytes"
        default: sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        }
    }
}
