/// A set of primary keys of an entity hierarchy, kept as a bit map: the objects whose values a
/// context has in memory.
///
/// It is a hint: an object that is missing in the set, or wrongly in it, is only read once more
/// than necessary.
@usableFromInline package struct KnownKeys: Sendable {
    @usableFromInline var words: ContiguousArray<UInt64> = []

    // The bit map has at most eight megabytes. Objects with greater primary keys are always read.
    @usableFromInline static var end: Int64 { 1 << 26 }

    /// Creates an empty set.
    package init() {}

    /// Whether no memory is in use for keys.
    @inlinable package var isEmpty: Bool { words.isEmpty }

    /// The number of keys. Takes time linear in the size of the bit map.
    package var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

    /// Calls `body` with each key from `first` on in ascending order, until it returns false.
    package func forEach(from first: Int64 = 0, _ body: (Int64) -> Bool) {
        let first = max(0, first)
        let start = Int(clamping: first >> 6)
        for place in words.indices.dropFirst(start) {
            var word = words[place]
            if place == start { word &= .max << UInt64(first & 63) }
            while word != 0 {
                guard body(Int64(place) << 6 | Int64(word.trailingZeroBitCount)) else { return }
                word &= word - 1
            }
        }
    }

    /// Whether a key is in the set.
    @inlinable package func contains(_ key: Int64) -> Bool {
        let place = Int(truncatingIfNeeded: key >> 6)
        return key >= 0 && place < words.count && words[place] & (1 << UInt64(key & 63)) != 0
    }

    /// Adds a key. Keys of 2²⁶ and above are ignored.
    @inlinable @inline(__always) package mutating func insert(_ key: Int64) {
        let place = Int(truncatingIfNeeded: key >> 6)
        if key < 0 || place >= words.count, !makeRoom(for: key) { return }
        words[place] |= 1 << UInt64(key & 63)
    }

    /// Removes a key.
    @inlinable package mutating func remove(_ key: Int64) {
        let place = Int(truncatingIfNeeded: key >> 6)
        if key >= 0, place < words.count { words[place] &= ~(1 << UInt64(key & 63)) }
    }

    @usableFromInline mutating func makeRoom(for key: Int64) -> Bool {
        guard key >= 0, key < Self.end else { return false }
        let count = max(Int(key >> 6) + 1, words.count * 2, 16)
        words.append(contentsOf: repeatElement(0, count: count - words.count))
        return true
    }
}
