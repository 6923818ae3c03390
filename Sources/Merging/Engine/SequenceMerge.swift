/// Merges two sequences that came from one, by longest common subsequences against it.
package enum SequenceMerge {
    /// A run of a merged sequence.
    package enum Chunk<Element: Hashable & Sendable>: Sendable {
        /// Where at most one side differs from the base, or both in the same way.
        case settled([Element])
        case conflict(base: [Element], ours: [Element], theirs: [Element])
    }

    package static func chunks<Element: Hashable & Sendable>(
        base: [Element], ours: [Element], theirs: [Element]
    ) -> [Chunk<Element>] {
        let inOurs = matches(base, ours), inTheirs = matches(base, theirs)
        var chunks: [Chunk<Element>] = []
        var start = (base: 0, ours: 0, theirs: 0)
        func close(_ end: (base: Int, ours: Int, theirs: Int)) {
            let base = Array(base[start.base..<end.base]), ours = Array(ours[start.ours..<end.ours]),
                theirs = Array(theirs[start.theirs..<end.theirs])
            if ours == theirs || theirs == base {
                if !ours.isEmpty { chunks.append(.settled(ours)) }
            } else if ours == base {
                if !theirs.isEmpty { chunks.append(.settled(theirs)) }
            } else {
                chunks.append(.conflict(base: base, ours: ours, theirs: theirs))
            }
        }
        for index in base.indices {
            guard let left = inOurs[index], let right = inTheirs[index] else { continue }
            close((index, left, right))
            chunks.append(.settled([base[index]]))
            start = (index + 1, left + 1, right + 1)
        }
        close((base.count, ours.count, theirs.count))
        return chunks
    }

    /// The order of the members of an ordered relationship: where both sides inserted at one place,
    /// ours stand first. Nobody is named twice; whoever is to be a member and is in neither
    /// sequence stands last.
    package static func order<Element: Hashable & Sendable>(
        base: [Element], ours: [Element], theirs: [Element], members: [Element]
    ) -> [Element] {
        let inTheirs = Set(theirs), wanted = Set(members)
        var placed: Set<Element> = [], order: [Element] = []
        func place(_ elements: [Element]) {
            for element in elements where wanted.contains(element) && placed.insert(element).inserted {
                order.append(element)
            }
        }
        for chunk in chunks(base: base, ours: ours, theirs: theirs) {
            switch chunk {
            case .settled(let elements): place(elements)
            case .conflict(let base, let left, let right):
                // What one side has moved elsewhere is placed there.
                let before = Set(base), inRight = Set(right)
                place(left.filter { !before.contains($0) || inRight.contains($0) || !inTheirs.contains($0) })
                place(right.filter { !before.contains($0) })
            }
        }
        place(members)
        return order
    }

    /// Lines of a text, as diff3 merges them; nil where both sides changed the same lines.
    package static func text(base: String, ours: String, theirs: String) -> String? {
        var text: [UInt8] = []
        for chunk in chunks(base: lines(base), ours: lines(ours), theirs: lines(theirs)) {
            guard case .settled(let lines) = chunk else { return nil }
            for line in lines { text += line }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Each with its line feed. As bytes, since texts that look the same need not be the same.
    private static func lines(_ text: String) -> [[UInt8]] {
        text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) + [0x0A] }
            .withoutLastLineFeed
    }

    /// Longer stretches that differ are not compared element by element: their merge counts as a
    /// replacement of the whole stretch.
    private static let greatestProduct = 64 << 20

    /// Where each element of the base is in the other sequence; nil where it is not.
    private static func matches<Element: Hashable>(_ base: [Element], _ other: [Element]) -> [Int?] {
        var matches = [Int?](repeating: nil, count: base.count)
        var start = 0, ends = (base.count, other.count)
        while start < min(ends.0, ends.1), base[start] == other[start] {
            matches[start] = start
            start += 1
        }
        while ends.0 > start, ends.1 > start, base[ends.0 - 1] == other[ends.1 - 1] {
            ends = (ends.0 - 1, ends.1 - 1)
            matches[ends.0] = ends.1
        }
        let (product, overflow) = (ends.0 - start).multipliedReportingOverflow(by: ends.1 - start)
        guard !overflow, product > 0, product <= greatestProduct else { return matches }
        var removed: Set<Int> = [], inserted: Set<Int> = []
        for change in other[start..<ends.1].difference(from: base[start..<ends.0]) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset + start)
            case .insert(let offset, _, _): inserted.insert(offset + start)
            }
        }
        var position = start
        for index in start..<ends.0 where !removed.contains(index) {
            while inserted.contains(position) { position += 1 }
            matches[index] = position
            position += 1
        }
        return matches
    }
}

extension [[UInt8]] {
    /// What follows the last line feed of a text has none; nothing is no line.
    fileprivate var withoutLastLineFeed: [[UInt8]] {
        guard var last = self.last else { return self }
        last.removeLast()
        return last.isEmpty ? dropLast() : dropLast() + [last]
    }
}
