/// The difference of two texts in the form that `diff -u` prints and `patch` applies.
struct UnifiedDifference {
    private static let context = 3

    private enum Line {
        case kept(String)
        case removed(String)
        case added(String)

        var isChange: Bool { if case .kept = self { false } else { true } }
    }

    private let lines: [Line]

    init(from old: String, to new: String) {
        let before = Self.lines(of: old), after = Self.lines(of: new)
        let difference = after.difference(from: before)
        var removed: Set<Int> = [], added: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var lines: [Line] = [], next = 0
        for (index, line) in before.enumerated() {
            if removed.contains(index) {
                lines.append(.removed(line))
                continue
            }
            while added.contains(next) {
                lines.append(.added(after[next]))
                next += 1
            }
            lines.append(.kept(line))
            next += 1
        }
        lines += after[next...].map { .added($0) }
        self.lines = lines
    }

    /// The lines of a text, each with its end.
    private static func lines(of text: String) -> [String] {
        var lines: [String] = [], line: [UInt8] = []
        for byte in text.utf8 {
            line.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            lines.append(String(decoding: line, as: UTF8.self))
            line = []
        }
        return line.isEmpty ? lines : lines + [String(decoding: line, as: UTF8.self)]
    }

    /// The difference with the names of the files; empty for equal texts.
    func text(of name: String) -> String {
        let hunks = hunks()
        guard !hunks.isEmpty else { return "" }
        return "--- a/\(name)\n+++ b/\(name)\n" + hunks.map(text).joined()
    }

    /// The ranges of lines around changes that are near each other.
    private func hunks() -> [Range<Int>] {
        var hunks: [Range<Int>] = []
        for (index, line) in lines.enumerated() where line.isChange {
            let start = max(0, index - Self.context), end = min(lines.count, index + Self.context + 1)
            if let last = hunks.last, start <= last.upperBound {
                hunks[hunks.count - 1] = last.lowerBound..<end
            } else {
                hunks.append(start..<end)
            }
        }
        return hunks
    }

    private func text(of hunk: Range<Int>) -> String {
        func count(_ range: Range<Int>, _ isCounted: (Line) -> Bool) -> Int { lines[range].count(where: isCounted) }
        let isOld: (Line) -> Bool = { if case .added = $0 { false } else { true } }
        let isNew: (Line) -> Bool = { if case .removed = $0 { false } else { true } }
        func range(_ isCounted: (Line) -> Bool) -> String {
            let before = count(0..<hunk.lowerBound, isCounted), length = count(hunk, isCounted)
            // An empty range is named by the line before it.
            return "\(length == 0 ? before : before + 1),\(length)"
        }
        return "@@ -\(range(isOld)) +\(range(isNew)) @@\n"
            + lines[hunk].map { line in
                let (mark, text) =
                    switch line {
                    case .kept(let text): (" ", text)
                    case .removed(let text): ("-", text)
                    case .added(let text): ("+", text)
                    }
                return mark + text + (text.hasSuffix("\n") ? "" : "\n\\ No newline at end of file\n")
            }.joined()
    }
}
