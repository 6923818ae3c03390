internal import CSQLite

extension Connection {
    /// Registers a SQL aggregate function on this connection: every group begins with `initial`,
    /// `step` adds a row, `finish` returns the result. An error in either closure ends the
    /// statement with the error's text.
    ///
    /// The closures must not use this connection.
    package func register<State>(
        aggregate name: String, argumentCount: Int, flags: FunctionFlags = [], initial: State,
        step: @escaping (inout State, SQLValues) throws -> Void, finish: @escaping (State, SQLResult) throws -> Void
    ) throws {
        let box = Unmanaged.passRetained(
            AggregateBox {
                let group = Group(initial)
                return AggregateRun(step: { try step(&group.state, $0) }, finish: { try finish(group.state, $0) })
            })
        // On failure SQLite calls the destructor itself.
        try check(
            sqlite3_create_function_v2(
                handle, name, Int32(clamping: argumentCount), SQLITE_UTF8 | flags.rawValue, box.toOpaque(), nil,
                stepAggregate, finishAggregate,
                releaseAggregate))
    }
}

private final class Group<State> {
    var state: State
    init(_ state: State) { self.state = state }
}

private final class AggregateBox {
    let begin: () -> AggregateRun
    init(_ begin: @escaping () -> AggregateRun) { self.begin = begin }
}

/// The state of one group during a statement.
private final class AggregateRun {
    let step: (SQLValues) throws -> Void
    let finish: (SQLResult) throws -> Void

    init(step: @escaping (SQLValues) throws -> Void, finish: @escaping (SQLResult) throws -> Void) {
        self.step = step
        self.finish = finish
    }
}

/// SQLite's memory for one group: zero, or an `AggregateRun` that the final call releases. SQLite
/// makes that call for every group that was started, even if the statement ends early.
private func place(_ context: OpaquePointer, begins: Bool) -> UnsafeMutablePointer<UnsafeMutableRawPointer?>? {
    let size = begins ? Int32(MemoryLayout<UnsafeMutableRawPointer?>.size) : 0
    return sqlite3_aggregate_context(context, size)?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
}

private func stepAggregate(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let context, let box = sqlite3_user_data(context) else { return }
    guard let place = place(context, begins: true) else { return sqlite3_result_error_nomem(context) }
    let run: AggregateRun
    if let begun = place.pointee {
        run = Unmanaged<AggregateRun>.fromOpaque(begun).takeUnretainedValue()
    } else {
        run = Unmanaged<AggregateBox>.fromOpaque(box).takeUnretainedValue().begin()
        place.pointee = Unmanaged.passRetained(run).toOpaque()
    }
    var none: OpaquePointer?
    withUnsafeMutablePointer(to: &none) { empty in
        do { try run.step(SQLValues(values ?? empty, count: Int(count))) } catch {
            SQLResult(context).set(error: "\(error)")
        }
    }
}

private func finishAggregate(_ context: OpaquePointer?) {
    guard let context, let box = sqlite3_user_data(context) else { return }
    let run: AggregateRun
    if let place = place(context, begins: false), let begun = place.pointee {
        run = Unmanaged<AggregateRun>.fromOpaque(begun).takeRetainedValue()
        place.pointee = nil
    } else {
        // A group without rows.
        run = Unmanaged<AggregateBox>.fromOpaque(box).takeUnretainedValue().begin()
    }
    do { try run.finish(SQLResult(context)) } catch { SQLResult(context).set(error: "\(error)") }
}

private func releaseAggregate(_ box: UnsafeMutableRawPointer?) {
    if let box { Unmanaged<AggregateBox>.fromOpaque(box).release() }
}
