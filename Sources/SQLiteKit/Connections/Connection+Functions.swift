internal import CSQLite

/// The properties that SQLite may assume of a function, and the permitted callers.
package struct FunctionFlags: OptionSet, Sendable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The same arguments always give the same result: usable in indexes, computed once for
    /// constants.
    package static let deterministic = FunctionFlags(rawValue: SQLITE_DETERMINISTIC)
    /// Harmless even if called by a malicious schema: required for triggers and views of databases
    /// whose schema is not trusted.
    package static let innocuous = FunctionFlags(rawValue: SQLITE_INNOCUOUS)
    /// Can't be called by triggers, views or indexes.
    package static let directOnly = FunctionFlags(rawValue: SQLITE_DIRECTONLY)
    /// Deterministic and innocuous.
    package static let pure = FunctionFlags(rawValue: SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS)
}

extension Connection {
    package typealias Function = (_ arguments: SQLValues, _ result: SQLResult) throws -> Void

    /// Registers `body` as a SQL function on this connection; an `argumentCount` of −1 accepts any
    /// number. An error in it ends the statement with the error's text.
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

    /// Registers `compare` as a collation. The result is negative, zero or positive if the first
    /// text is before, equal to or after the second. It must be a total order.
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
            // Unlike for functions, SQLite does not release the box if registering a collation
            // fails.
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
        // SQLite may pass no array to a function without arguments.
        let arguments = SQLValues(values ?? empty, count: Int(count))
        Unmanaged<FunctionBox>.fromOpaque(box)._withUnsafeGuaranteedRef { box in
            do { try box.body(arguments, SQLResult(context)) } catch { SQLResult(context).set(error: "\(error)") }
        }
    }
}

private func releaseFunction(_ box: UnsafeMutableRawPointer?) {
    if let box { Unmanaged<FunctionBox>.fromOpaque(box).release() }
}
