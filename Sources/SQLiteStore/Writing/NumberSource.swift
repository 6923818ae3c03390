import SQLiteKit

/// Supplies integers to a statement, in rows of the given width.
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
