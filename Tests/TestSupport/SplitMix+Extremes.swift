extension SplitMix {
    /// A number at which arithmetic on what a file says tends to fail, or any other.
    package mutating func extreme() -> UInt64 {
        let edges: [UInt64] = [
            0, 1, 2, .max, 1 << 63, 1 << 63 - 1, 1 << 62, 1 << 60, 1 << 53, 1 << 48, 1 << 32, 1 << 32 - 1, 1 << 31,
            1 << 31 - 1, 1 << 16, 1 << 16 - 1, 1 << 12,
        ]
        let choice = Int(next() % UInt64(edges.count + 3))
        guard choice < edges.count else { return next() >> (next() % 64) }
        // And its neighbors.
        return edges[choice] &+ next() % 3 &- 1
    }

    /// Puts an extreme number into `count` bytes at `place`, in either order of the bytes.
    package mutating func putExtreme(into bytes: inout [UInt8], at place: Int, count: Int, isBigEndian: Bool = false) {
        let number = extreme()
        for index in 0..<count where place + index < bytes.count {
            bytes[place + index] = UInt8(
                truncatingIfNeeded: number >> UInt64(8 * (isBigEndian ? count - 1 - index : index)))
        }
    }

    /// Some of the numbers in a JSON text replaced by extreme ones.
    package mutating func withExtremes(_ text: String) -> String {
        let numbers = Self.numbers(in: text)
        guard !numbers.isEmpty else { return text }
        var chosen = Set<Int>()
        for _ in 0...(next() % 2) { chosen.insert(Int(next() % UInt64(numbers.count))) }
        var result = text
        for index in chosen.sorted(by: >) {
            let number = extreme()
            let spelled = next() % 3 == 0 ? String(number) : String(Int64(bitPattern: number))
            result.replaceSubrange(numbers[index], with: spelled)
        }
        return result
    }

    private static func numbers(in text: String) -> [Range<String.Index>] {
        var numbers: [Range<String.Index>] = []
        var isQuoted = false, start: String.Index?
        for index in text.indices {
            let character = text[index]
            if character == "\"" { isQuoted.toggle() }
            let isDigit = !isQuoted && (character == "-" || character >= "0" && character <= "9")
            if isDigit, start == nil { start = index }
            if !isDigit, let first = start {
                numbers.append(first..<index)
                start = nil
            }
        }
        return numbers
    }
}
