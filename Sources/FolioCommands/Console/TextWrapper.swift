import Foundation

/// Breaks text into lines that fit a terminal. A word that is wider than a line stands in one by
/// itself, unbroken.
struct TextWrapper {
    let width: Int

    /// Where standard output is no terminal, or one that does not know its width.
    static let usualWidth = 80
    /// Narrower lines are hard to read, and so are wider ones.
    static let widths = 40...100

    /// The width of the terminal that standard output is, within ``widths``.
    static var terminalWidth: Int {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return usualWidth
        }
        return min(max(Int(size.ws_col), widths.lowerBound), widths.upperBound)
    }

    /// Breaks a paragraph between words.
    /// - Parameters:
    ///   - start: What stands before the first line.
    ///   - indent: How many spaces stand before the others.
    func lines(_ text: String, start: String = "", indent: Int = 0) -> [String] {
        lines(of: text.split(whereSeparator: \.isWhitespace).map(String.init), start: start, indent: indent, end: "")
    }

    /// Breaks a command line between words, so that a shell reads it as before: no word with quotes
    /// is broken, and each line but the last ends with a backslash.
    func commandLines(_ text: String, start: String, indent: Int) -> [String] {
        var words = [""]
        var quote: Character?
        for character in text {
            if character == " ", quote == nil {
                words.append("")
            } else {
                if character == quote {
                    quote = nil
                } else if quote == nil, character == "'" || character == "\"" {
                    quote = character
                }
                words[words.count - 1].append(character)
            }
        }
        return lines(of: words, start: start, indent: indent, end: " \\")
    }

    /// Breaks the notes of a help text. What does not fit of a line that stands for itself goes on
    /// below its last column.
    func noteLines(_ text: String) -> [String] {
        NoteBlock.blocks(of: text).flatMap { block in
            switch block {
            case .paragraph(let text): lines(text)
            case .fixedLine(let line): fixedLines(line)
            case .emptyLine: [""]
            }
        }
    }

    /// A line with a place of its own for each of its parts: what does not fit goes on under the
    /// last part.
    private func fixedLines(_ line: Substring) -> [String] {
        guard Printable.width(String(line)) > width else { return [String(line)] }
        let indent = line.prefix { $0 == " " }.count
        let gap = line.dropFirst(indent).ranges(of: "  ").last
        let textStart = gap.map { line[$0.upperBound...].drop { $0 == " " } } ?? line.dropFirst(indent)
        let start = String(line[..<textStart.startIndex])
        return lines(String(textStart), start: start, indent: Printable.width(start))
    }

    private func lines(of words: [String], start: String, indent: Int, end: String) -> [String] {
        var lines: [String] = [], line = start, isEmpty = true
        for (index, word) in words.enumerated() {
            let room = index == words.count - 1 ? width : width - end.count
            if !isEmpty, Printable.width(line) + 1 + Printable.width(word) > room {
                lines.append(line + end)
                (line, isEmpty) = (String(repeating: " ", count: indent), true)
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }
}
