import Foundation
import RowMemory
import Schema
import SQLiteKit
import Storage

/// Supplies rows of one entity to a statement: column 0 is the primary key, column 1 the version,
/// followed by the plan's columns.
final class RowWriter: RowSource {
    private let rows: RowBatch
    /// The rows to write, by their indexes in the batch.
    private let places: [Int]
    private let plan: WritePlan
    private let keys: KeyMap
    private let layout: StoreLayout
    private let store: StoreIdentity
    private let large: LargeValueWriter
    private var position = -1
    private var row: Row?
    private var largeCells: [Data?] = []
    private var leafCells: [SQLiteValue] = []

    init(
        _ rows: RowBatch, places: [Int], _ plan: WritePlan, keys: KeyMap, layout: StoreLayout, store: StoreIdentity,
        large: LargeValueWriter
    ) {
        self.rows = rows
        self.places = places
        self.plan = plan
        self.keys = keys
        self.layout = layout
        self.store = store
        self.large = large
    }

    var allPositions: [Int] { places }
    var count: Int { places.count }

    /// The primary key of the first row, if the following rows have consecutive keys.
    var firstOfConsecutiveKeys: Int64? {
        guard let place = places.first else { return nil }
        let given = rows.keys
        let first = keys.key(given[place])
        var next = first
        for place in places {
            guard keys.key(given[place]) == next else { return nil }
            // After the greatest key, the sum overflows to a value that no row can have.
            next &+= 1
        }
        return first > 0 ? first : nil
    }

    /// A writer for a single row.
    func only(_ place: Int) -> RowWriter {
        RowWriter(rows, places: [place], plan, keys: keys, layout: layout, store: store, large: large)
    }

    var columnCount: Int { WritePlan.firstColumn + plan.columns.count }

    func rewind() { position = -1 }

    func next() throws -> Bool {
        position += 1
        guard position < places.count else {
            row = nil
            return false
        }
        let row = rows[places[position]]
        for cell in plan.fractions where Self.isUnstorable(cell, row) {
            throw unstorable(row.value(cell.slot), row, cell.slot)
        }
        if !plan.largeSlots.isEmpty {
            largeCells = try plan.largeSlots.map { try row.large($0).map { try large.cell(for: $0) } }
        }
        if !plan.leaves.isEmpty { leafCells = try plan.leaves.map { try leafCell($0.leaf, row, $0.slot) } }
        self.row = row
        return true
    }

    @inline(__always) private static func isUnstorable(_ cell: CellWriter, _ row: Row) -> Bool {
        switch cell.kind {
        case .double: row.double(cell.slot)?.isNaN ?? false
        case .float: row.float(cell.slot)?.isNaN ?? false
        default: row.decimal(cell.slot).map { !SQLiteValue.isExact($0) } ?? false
        }
    }

    private func leafCell(_ leaf: CompositeLeaf, _ row: Row, _ slot: RowSlot) throws -> SQLiteValue {
        let value = row.boxed(slot)?.value.part(at: leaf.path) ?? .null
        if SQLiteValue.isUnstorable(value) { throw unstorable(value, row, slot, leaf.path) }
        // Store the value in the row itself, however large: no code would remove a leaf's file.
        if case .large(let large) = value { return SQLiteValue(.data(try large.data()), leaf.column) }
        return SQLiteValue(value, leaf.column)
    }

    private func unstorable(_ value: PropertyValue, _ row: Row, _ slot: RowSlot, _ path: [String] = []) -> StorageError
    {
        let name = layout.model.entities[row.entityIndex].properties[Int(slot.index)].name
        let object = ManagedObjectID(store: store, entityIndex: row.entityIndex, key: row.key)
        return .unstorable(
            value, ([name] + path).joined(separator: "."),
            of: StoreConflict(object: object, expectedVersion: row.version, storedVersion: row.version))
    }

    func column(_ index: Int, _ result: SQLResult) { write(column: index, to: result) }

    /// Binds the cells of the only row to the parameters of a statement, starting with the first.
    func bindRow(to statement: Statement) throws {
        rewind()
        guard try next() else { return }
        let failure = BoundCell.Failure()
        for index in 0..<columnCount {
            write(column: index, to: BoundCell(statement: statement, index: index + 1, failure: failure))
        }
        if let error = failure.error { throw error }
    }

    @inline(__always) private func write(column index: Int, to result: some CellSink) {
        guard let row else { return }
        switch index {
        case 0: result.set(keys.key(row.key))
        case 1: result.set(row.version)
        default: write(plan.writers[index - WritePlan.firstColumn], row, to: result)
        }
    }

    /// Writes a cell; NULL if the row has no value.
    @inline(__always) private func write(_ cell: CellWriter, _ row: Row, to result: some CellSink) {
        let slot = cell.slot
        switch cell.kind {
        case .int: if let value = row.int(slot) { result.set(value) }
        case .bool: if let value = row.bool(slot) { result.set(value ? 1 : 0 as Int64) }
        case .double: if let value = row.double(slot) { result.set(value) }
        case .float: if let value = row.float(slot) { result.set(Double(value)) }
        case .string: if let value = row.string(slot) { result.set(value) }
        case .uuid: if let value = row.uuid(slot) { withUnsafeBytes(of: value.uuid) { result.set(bytes: $0) } }
        case .decimal: if let value = row.decimal(slot) { result.set(SQLiteValue(value)) }
        case .data: if let value = row.data(slot) { value.withUnsafeBytes { result.set(bytes: $0) } }
        case .large: if let value = largeCells[Int(cell.index)] { value.withUnsafeBytes { result.set(bytes: $0) } }
        case .leaf: result.set(leafCells[Int(cell.index)])
        case .toOneKey: if let value = row.reference(slot) { result.set(keys.key(value.key)) }
        case .toOneEntity:
            if let value = row.reference(slot), let number = layout[value.entityIndex]?.number { result.set(number) }
        }
    }
}
