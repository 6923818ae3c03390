/// "Did you mean …?": finds names that are similar to a mistyped name.
package enum NearestNames {
    /// At most three of `names`, nearest first, that differ from `name` in at most a third of its
    /// letters. Case is ignored.
    package static func nearest(to name: String, among names: [String]) -> [String] {
        let wanted = Array(name.lowercased().unicodeScalars.prefix(100))
        let limit = max(1, wanted.count / 3)
        let candidates: [(distance: Int, name: String)] = names.compactMap { candidate in
            let other = Array(candidate.lowercased().unicodeScalars.prefix(100))
            guard abs(other.count - wanted.count) <= limit else { return nil }
            let distance = distance(wanted, other)
            return distance <= limit ? (distance, candidate) : nil
        }
        return candidates.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
    }

    /// `; did you mean "a" or "b"?`; empty if `names` is empty.
    package static func question(_ names: [String]) -> String {
        guard let last = names.last else { return "" }
        let quoted = names.dropLast().map { "\"\($0)\"" }.joined(separator: ", ")
        return "; did you mean " + (quoted.isEmpty ? "" : quoted + " or ") + "\"\(last)\"?"
    }

    /// The number of insertions, deletions, replacements and swaps of neighbors between the two.
    private static func distance(_ a: [UnicodeScalar], _ b: [UnicodeScalar]) -> Int {
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [Int](repeating: 0, count: b.count + 1)
            row[0] = i + 1
            for j in 0..<b.count {
                var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
                row[j + 1] = best
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
