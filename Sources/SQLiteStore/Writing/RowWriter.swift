import Foundation
import RowMemory
import SQLiteKit
import Storage

/// Rows of one entity on their way into a statement: column 0 is the key, column 1 the version, then those of the plan.
final class RowWriter: RowSource {
    private let rows: RowBatch
    /// The rows to write, by their places in the batch.
    private let places: [Int]
    private let plan: WritePlan
    private let keys: KeyMap
    private let layout: StoreLayout
    private let large: LargeValueWriter
    private var position = -1
    private var row: Row?
    private var largeCells: [Data?] = []

    static let firstPlanColumn = 2

    init(_ rows: RowBatch, places: [Int], _ plan: WritePlan, keys: KeyMap, layout: StoreLayout, large: LargeValueWriter) {
        self.rows = rows
        self.places = places
        self.plan = plan
        self.keys = keys
        self.layout = layout
        self.large = large
    }

    var allPlaces: [Int] { places }

    /// A writer of one of the rows.
    func only(_ place: Int) -> RowWriter {
        RowWriter(rows, places: [place], plan, keys: keys, layout: layout, large: large)
    }

    var columnCount: Int { Self.firstPlanColumn + plan.columns.count }

    func rewind() { position = -1 }

    func next() throws -> Bool {
        position += 1
        guard position < places.count else {
            row = nil
            return false
        }
        let row = rows[places[position]]
        if !plan.largeSlots.isEmpty { largeCells = try plan.largeSlots.map { try row.large($0).map { try large.cell(for: $0) } } }
        self.row = row
        return true
    }

    func column(_ index: Int, _ result: SQLResult) {
        guard let row else { return }
        switch index {
        case 0: result.set(keys.key(row.key))
        case 1: result.set(row.version)
        default: plan.columns[index - Self.firstPlanColumn].writer.write(row, keys: keys, layout: layout, large: largeCells, to: result)
        }
    }
}

/// Numbers on their way into a statement, so many in a row.
final class NumberSource: RowSource {
    private let numbers: [Int64]
    private let width: Int
    private var start: Int

    init(_ numbers: [Int64], width: Int) {
        self.numbers = numbers
        self.width = width
        start = -width
    }

    func rewind() { start = -width }

    func next() -> Bool {
        start += width
        return start < numbers.count
    }

    func column(_ index: Int, _ result: SQLResult) {
        if index < width { result.set(numbers[start + index]) }
    }
}
