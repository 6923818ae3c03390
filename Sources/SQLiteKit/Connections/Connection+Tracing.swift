internal import CSQLite

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

    /// The plan of a statement that has one.
    private func plan(of sql: String) -> [String] {
        let word = sql.prefix { $0.isLetter }.uppercased()
        guard ["SELECT", "UPDATE", "DELETE", "INSERT", "WITH"].contains(word) else { return [] }
        return (try? QueryPlan(of: sql, on: self).lines) ?? []
    }
}
