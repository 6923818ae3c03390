/// The numbers by which an ordered relationship keeps its order: from 2048 in steps of 1024, so
/// that later ones fit in between (CoreDataFiles, Positions).
enum OrderNumbers {
    static let first: Int64 = 2048
    static let step: Int64 = 1024

    /// Numbers for members in their new order, given what each has now; as many as possible keep
    /// theirs.
    static func assign(_ current: [Int64?]) -> [Int64] {
        let kept = longestIncreasing(current)
        var numbers = [Int64?](repeating: nil, count: current.count)
        for index in kept { numbers[index] = current[index] }
        // Every gap lies between two kept members, or before the first, or after the last.
        var gapStart = 0
        for end in kept + [current.count] {
            let low = gapStart == 0 ? nil : numbers[gapStart - 1]
            let high = end == current.count ? nil : numbers[end]
            guard fill(&numbers, gapStart..<end, after: low, before: high) else { return renumbered(current.count) }
            gapStart = end + 1
        }
        return numbers.map { $0 ?? 0 }
    }

    /// Gives the places between two numbers theirs; false where they don't fit.
    private static func fill(_ numbers: inout [Int64?], _ places: Range<Int>, after low: Int64?, before high: Int64?)
        -> Bool
    {
        if places.isEmpty { return true }
        guard let high else {
            var last = low ?? first - step
            for place in places {
                let (next, overflow) = last.addingReportingOverflow(step)
                if overflow { return false }
                numbers[place] = next
                last = next
            }
            return true
        }
        let low = low ?? min(0, high)
        let (room, overflow) = high.subtractingReportingOverflow(low)
        let distance = room / Int64(places.count + 1)
        guard !overflow, distance > 0 else { return false }
        for (offset, place) in places.enumerated() { numbers[place] = low + distance * Int64(offset + 1) }
        return true
    }

    private static func renumbered(_ count: Int) -> [Int64] {
        (0..<Int64(count)).map { first + step * $0 }
    }

    /// The places of a longest strictly increasing run among the numbers that there are.
    private static func longestIncreasing(_ values: [Int64?]) -> [Int] {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: values.count)
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            var low = 0, high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if (values[tails[middle]] ?? .min) < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var run: [Int] = []
        var index = tails.last ?? -1
        while index >= 0 {
            run.append(index)
            index = previous[index]
        }
        return run.reversed()
    }
}
