internal import CSQLite

/// What SQLite may assume of a function, and who may call it.
package struct FunctionFlags: OptionSet, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The same arguments give the same answer, always: usable in indexes, computed once for
    /// constants.
    package static let deterministic = FunctionFlags(rawValue: SQLITE_DETERMINISTIC)
    /// Harmless even when a hostile schema calls it: needed by triggers and views of databases
    /// whose schema is distrusted.
    package static let innocuous = FunctionFlags(rawValue: SQLITE_INNOCUOUS)
    /// Never called by triggers, views or indexes.
    package static let directOnly = FunctionFlags(rawValue: SQLITE_DIRECTONLY)
    /// Deterministic and innocuous.
    package static let pure = FunctionFlags(rawValue: SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)
}

extension Connection {
    package typealias Function = (_ arguments: SQLValues, _ result: SQLResult) throws -> Void

    /// Makes `body` a function of SQL on this connection; `argumentCount` of −1 takes any number.
    /// An error it throws ends the statement with its text.
    ///
    /// `body` must not use this connection.
    package func register(
        function name: String, argumentCount: Int, flags: FunctionFlags = [], _ body: @escaping Function
    ) throws {
        let box = Unmanaged.passRetained(FunctionBox(body))
        // On failure SQLite calls the destructor itself.
        try check(
            sqlite3_create_function_v2(
                handle, name, Int32(clamping: argumentCount), SQLITE_UTF8 | flags.rawValue, box.toOpaque(),
                callFunction, nil, nil, releaseFunction))
    }

    /// Makes `compare` a collation: negative, zero or positive, as the first text stands before,
    /// with or behind the second. Must be a total order.
    package func register(
        collation name: String, _ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    ) throws {
        let box = Unmanaged.passRetained(CollationBox(compare))
        let result = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, box.toOpaque(),
            { context, firstCount, first, secondCount, second in
                guard let context else { return 0 }
                let box = Unmanaged<CollationBox>.fromOpaque(context).takeUnretainedValue()
                let order = box.compare(
                    UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
                    UnsafeRawBufferPointer(start: second, count: Int(secondCount)))
                return Int32(order.signum())
            },
            { context in if let context { Unmanaged<CollationBox>.fromOpaque(context).release() } })
        if result != SQLITE_OK {
            // Unlike functions, collations leave the box to the caller on failure.
            box.release()
            throw error(result)
        }
    }
}

private final class FunctionBox {
    let body: Connection.Function
    init(_ body: @escaping Connection.Function) { self.body = body }
}

private final class CollationBox {
    let compare: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    init(_ compare: @escaping (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int) { self.compare = compare }
}

private func callFunction(_ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
    guard let context, let box = sqlite3_user_data(context) else { return }
    var none: OpaquePointer?
    withUnsafeMutablePointer(to: &none) { empty in
        // A function without arguments may be called without an array.
        let arguments = SQLValues(values ?? empty, count: Int(count))
        Unmanaged<FunctionBox>.fromOpaque(box)._withUnsafeGuaranteedRef { box in
            do { try box.body(arguments, SQLResult(context)) } catch { SQLResult(context).set(error: "\(error)") }
        }
    }
}

private func releaseFunction(_ box: UnsafeMutableRawPointer?) {
    if let box { Unmanaged<FunctionBox>.fromOpaque(box).release() }
}
