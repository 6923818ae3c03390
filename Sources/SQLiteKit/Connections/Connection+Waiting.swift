internal import CSQLite

extension Connection {
    /// Waits up to `timeout` seconds for locks of other connections. Before each new attempt,
    /// `goesOn` is called with the seconds waited, and can end the wait.
    package func setWaiting(timeout: Double, _ continues: @escaping (Double) -> Bool) {
        let handler = WaitHandler(timeout: timeout, continues)
        waiting = handler
        // Unretained: the connection retains it.
        sqlite3_busy_handler(
            handle,
            { context, count in
                guard let context else { return 0 }
                return Unmanaged<WaitHandler>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.waits(count) } ? 1 : 0
            }, Unmanaged.passUnretained(handler).toOpaque())
    }

    /// Runs `body`; a statement that is still running after `duration` ends with `.timedOut`.
    package func withDeadline<Result>(_ duration: Duration, _ body: () throws -> Result) rethrows -> Result {
        let outer = errors.deadline
        let inner = Deadline(at: min(.now + duration, outer?.instant ?? .now + duration))
        errors.deadline = inner
        install(inner)
        defer {
            errors.deadline = outer
            install(outer)
        }
        return try body()
    }

    private func install(_ deadline: Deadline?) {
        guard let deadline else { return sqlite3_progress_handler(handle, 0, nil, nil) }
        // The deadline is kept alive by this connection's `errors` while it is installed.
        sqlite3_progress_handler(handle, 5_000, isOver, Unmanaged.passUnretained(deadline).toOpaque())
    }
}

private func isOver(_ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
}
