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

extension Connection {
    /// Starts tracing or, with nil, stops it.
    package func trace(_ options: TraceOptions?) {
        guard recorder?.options != options else { return }
        guard let options else {
            sqlite3_trace_v2(handle, 0, nil, nil)
            recorder = nil
            return
        }
        let recorder = TraceRecorder(options)
        self.recorder = recorder
        // Unretained: the connection retains the recorder as long as it is set.
        sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW),
            { kind, context, statement, detail in
                guard let context, let statement else { return 0 }
                Unmanaged<TraceRecorder>.fromOpaque(context)._withUnsafeGuaranteedRef { recorder in
                    let statement = OpaquePointer(statement)
                    if kind == UInt32(SQLITE_TRACE_ROW) {
                        recorder.row(statement)
                    } else {
                        recorder.finish(statement, nanoseconds: detail?.loadUnaligned(as: Int64.self) ?? 0)
                    }
                }
                return 0
            }, Unmanaged.passUnretained(recorder).toOpaque())
    }

    /// Whether rows must be stepped through to be traced.
    package var tracesRows: Bool { recorder?.options.keepsRows == true }

    /// The statements run since the last call, in the order in which they finished.
    package func takeTrace() -> [TracedStatement] {
        guard let recorder, !recorder.finished.isEmpty else { return [] }
        var statements = recorder.finished
        recorder.finished = []
        guard recorder.options.explains else { return statements }
        recorder.isPaused = true
        defer { recorder.isPaused = false }
        for index in statements.indices { statements[index].plan = plan(of: statements[index].sql) }
        return statements
    }

    private func plan(of sql: String) -> [String] {
        let word = sql.prefix { $0.isLetter }.uppercased()
        guard ["SELECT", "UPDATE", "DELETE", "INSERT", "WITH"].contains(word), let rows = try? explanation(of: sql)
        else { return [] }
        var depths: [Int64: Int] = [0: 0]
        return rows.map { row in
            let depth = depths[row.parent] ?? 0
            depths[row.id] = depth + 1
            return String(repeating: "  ", count: depth) + row.detail
        }
    }

    private func explanation(of sql: String) throws -> [(id: Int64, parent: Int64, detail: String)] {
        let statement = try prepare("EXPLAIN QUERY PLAN " + sql)
        var rows: [(id: Int64, parent: Int64, detail: String)] = []
        while try statement.step() {
            rows.append(
                (
                    statement.value(at: 0).integer ?? 0, statement.value(at: 1).integer ?? 0,
                    statement.value(at: 3).text ?? ""
                ))
        }
        return rows
    }
}
