import RowMemory

/// The objects of a file by their numbers in it, which mostly come in order.
struct XMLObjectNumbers {
    // In order; those that came behind a greater one stand in `rest`.
    private var numbers: ContiguousArray<Int64> = []
    private var rows: ContiguousArray<Row> = []
    private var rest: [Int64: Row] = [:]

    /// Notes an object; false, and nothing, where the number is another's.
    mutating func insert(_ row: Row, _ number: Int64) -> Bool {
        guard let last = numbers.last, number <= last else {
            numbers.append(number)
            rows.append(row)
            return true
        }
        guard self[number] == nil else { return false }
        rest[number] = row
        return true
    }

    subscript(number: Int64) -> Row? {
        // One that is new is mostly greater than all others.
        guard let last = numbers.last, number <= last else { return nil }
        var low = 0, high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < numbers.count && numbers[low] == number ? rows[low] : rest[number]
    }
}
