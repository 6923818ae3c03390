import RowMemory

/// The objects of a file by their numbers in it, which mostly come in order.
///
/// Mostly they follow one another besides, and their rows do in memory: then a few places stand for all of them.
struct XMLObjectNumbers {
    /// Objects that follow one another in number and in a slab.
    private struct Run {
        let first: Int64
        var last: Int64
        let slab: RowSlab
        let place: Int

        func row(_ number: Int64) -> Row { slab.row(at: place + Int(number - first)) }
    }

    // In order; those that came behind a greater one stand in `rest`.
    private var runs: ContiguousArray<Run> = []
    /// The number of the last object in `runs`, below all others where there is none.
    private var greatest = Int64.min
    private var rest: [Int64: Row] = [:]

    /// Notes an object, whose row is the last of its slab; false, and nothing, where the number is another's.
    mutating func insert(_ row: Row, _ number: Int64) -> Bool {
        guard number > greatest else {
            guard self[number] == nil else { return false }
            rest[number] = row
            return true
        }
        let place = row.slab.count - 1, end = runs.count - 1
        // The place among the run's is that of the number, and none of the slab's rows between belongs to another.
        if end >= 0, number == greatest + 1, runs[end].slab === row.slab, Int64(place - runs[end].place) == number - runs[end].first {
            runs[end].last = number
        } else {
            runs.append(Run(first: number, last: number, slab: row.slab, place: place))
        }
        greatest = number
        return true
    }

    subscript(number: Int64) -> Row? {
        // One that is new is mostly greater than all others.
        guard number <= greatest else { return nil }
        var low = 0, high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].last < number { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].first <= number ? runs[low].row(number) : rest[number]
    }
}
