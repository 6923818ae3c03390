import SQLiteKit

/// Where a cell's value goes.
protocol CellSink {
    func set(_ value: Int64)
    func set(_ value: Double)
    func set(_ value: String)
    func set(bytes: UnsafeRawBufferPointer)
    func set(_ value: SQLiteValue)
}

extension SQLResult: CellSink {}

/// An argument of a statement.
struct BoundCell: CellSink {
    /// What hindered the binding of any of a row's cells.
    final class Failure {
        var error: (any Error)?
    }

    let statement: Statement
    let index: Int
    let failure: Failure

    private func noting(_ bind: () throws -> Void) {
        do { try bind() } catch { failure.error = failure.error ?? error }
    }

    func set(_ value: Int64) { noting { try statement.bind(value, at: index) } }
    func set(_ value: Double) { noting { try statement.bind(value, at: index) } }
    func set(_ value: String) { noting { try statement.bind(value, at: index) } }
    func set(bytes: UnsafeRawBufferPointer) { noting { try statement.bind(blob: bytes, at: index) } }
    func set(_ value: SQLiteValue) { noting { try statement.bind(value, at: index) } }
}
