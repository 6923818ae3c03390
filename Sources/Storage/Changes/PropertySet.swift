/// A set of property indexes of an entity. Allocates no memory for entities of up to 64 properties.
package struct PropertySet: Sendable, Hashable {
    private var low: UInt64 = 0
    private var rest: [UInt64] = []

    package init() {}

    /// Creates a set of the first 64 indexes from a bit mask.
    package init(low: UInt64) { self.low = low }

    package var isEmpty: Bool { low == 0 && rest.allSatisfy { $0 == 0 } }

    package func contains(_ index: Int) -> Bool {
        if index < 64 { return low & (1 << UInt64(index)) != 0 }
        let word = index / 64 - 1
        return word < rest.count && rest[word] & (1 << UInt64(index % 64)) != 0
    }

    package mutating func insert(_ index: Int) {
        if index < 64 {
            low |= 1 << UInt64(index)
            return
        }
        let word = index / 64 - 1
        while rest.count <= word { rest.append(0) }
        rest[word] |= 1 << UInt64(index % 64)
    }

    package mutating func remove(_ index: Int) {
        if index < 64 {
            low &= ~(1 << UInt64(index))
            return
        }
        let word = index / 64 - 1
        guard word < rest.count else { return }
        rest[word] &= ~(1 << UInt64(index % 64))
        while rest.last == 0 { rest.removeLast() }
    }

    package mutating func formUnion(_ other: PropertySet) {
        low |= other.low
        for (word, bits) in other.rest.enumerated() {
            if word < rest.count { rest[word] |= bits } else { rest.append(bits) }
        }
    }

    /// The indexes in ascending order, as a lazy sequence.
    package var places: Places { Places(word: low, rest: rest) }

    package struct Places: Sequence, IteratorProtocol {
        fileprivate var word: UInt64
        fileprivate let rest: [UInt64]
        private var wordsTaken = 0

        fileprivate init(word: UInt64, rest: [UInt64]) {
            self.word = word
            self.rest = rest
        }

        package mutating func next() -> Int? {
            while word == 0 {
                guard wordsTaken < rest.count else { return nil }
                word = rest[wordsTaken]
                wordsTaken += 1
            }
            let bit = word.trailingZeroBitCount
            word &= word - 1
            return wordsTaken * 64 + bit
        }
    }

    /// The indexes in ascending order.
    package var indices: [Int] {
        var indices: [Int] = []
        for (word, bits) in ([low] + rest).enumerated() {
            var bits = bits
            while bits != 0 {
                indices.append(word * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
            }
        }
        return indices
    }
}
