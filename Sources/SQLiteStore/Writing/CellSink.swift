import SQLiteKit

/// A destination for a cell's value.
protocol CellSink {
    func set(_ value: Int64)
    func set(_ value: Double)
    func set(_ value: String)
    func set(bytes: UnsafeRawBufferPointer)
    func set(_ value: SQLiteValue)
}

extension SQLResult: CellSink {}

/// A parameter of a statement.
struct BoundCell: CellSink {
    /// The first error in binding the cells of a row.
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
