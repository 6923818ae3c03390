import Foundation

/// Wraps text to the width of a terminal. A word that is wider than a line gets a line of its own.
struct TextWrapper {
    let width: Int

    /// The width if standard output is not a terminal, or the width of the terminal is unknown.
    static let usualWidth = 80
    /// The range of widths. Narrower and wider lines are hard to read.
    static let widths = 40...100

    /// The width of the terminal, limited to ``widths``.
    static var terminalWidth: Int {
        var size = winsize()
        guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return usualWidth
        }
        return min(max(Int(size.ws_col), widths.lowerBound), widths.upperBound)
    }

    /// Wraps a paragraph between words.
    /// - Parameters:
    ///   - start: The text before the first line.
    ///   - indent: The number of spaces before the other lines.
    func lines(_ text: String, start: String = "", indent: Int = 0) -> [String] {
        lines(of: text.split(whereSeparator: \.isWhitespace).map(String.init), start: start, indent: indent, end: "")
    }

    /// Wraps a command line between words so that a shell still reads it as one. Quoted words are
    /// not broken, and each line except the last ends with a backslash.
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

    /// Wraps the notes of a help text. Unwrapped lines that are too long continue below their last
    /// column.
    func noteLines(_ text: String) -> [String] {
        NoteBlock.blocks(of: text).flatMap { block in
            switch block {
            case .paragraph(let text): lines(text)
            case .fixedLine(let line): fixedLines(line)
            case .emptyLine: [""]
            }
        }
    }

    /// Wraps a line with columns. Its last column continues on the next lines with the same
    /// indentation.
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
