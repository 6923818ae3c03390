/// A part of the notes of a help text. Paragraphs are separated by empty lines, and lines that
/// begin with spaces are kept unwrapped.
enum NoteBlock {
    case paragraph(String)
    case fixedLine(Substring)
    case emptyLine

    static func blocks(of text: String) -> [NoteBlock] {
        var blocks: [NoteBlock] = [], paragraph: [Substring] = []
        func endParagraph() {
            if !paragraph.isEmpty { blocks.append(.paragraph(paragraph.joined(separator: " "))) }
            paragraph = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.first == " " || line.isEmpty else {
                paragraph.append(line)
                continue
            }
            endParagraph()
            blocks.append(line.isEmpty ? .emptyLine : .fixedLine(line))
        }
        endParagraph()
        return blocks
    }
}
