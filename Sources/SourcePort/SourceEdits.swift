import PortReport
import SwiftSyntax

/// Text that replaces a range of a file.
struct SourceEdit {
    let start: AbsolutePosition
    let end: AbsolutePosition
    let text: EditText

    init(start: AbsolutePosition, end: AbsolutePosition, text: String) {
        self.init(start: start, end: end, text: EditText(pieces: [.text(text)]))
    }

    init(start: AbsolutePosition, end: AbsolutePosition, text: EditText) {
        self.start = start
        self.end = end
        self.text = text
    }

    /// An insertion.
    init(at position: AbsolutePosition, _ text: EditText) { self.init(start: position, end: position, text: text) }
}

/// What is written to a place: text, and parts of files that move there.
struct EditText {
    enum Piece {
        case text(String)
        case moved(MovedPart)
    }

    var pieces: [Piece] = []

    var bytes: [UInt8] {
        pieces.flatMap { piece in
            switch piece {
            case .text(let text): Array(text.utf8)
            case .moved(let part): part.edits.newBytes
            }
        }
    }
}

/// A part of a file, with the edits in it.
struct MovedPart {
    /// The index of the file.
    let file: Int
    let edits: SourceEdits
}

/// The edits of a file or of a part of one, none of which overlaps another.
struct SourceEdits {
    let start: AbsolutePosition
    let end: AbsolutePosition
    private let edits: [SourceEdit]
    let newBytes: [UInt8]

    /// - Parameter bytes: The text of the whole file.
    init(_ edits: [SourceEdit], of bytes: [UInt8], from start: AbsolutePosition, to end: AbsolutePosition) {
        self.start = start
        self.end = end
        // Sorting keeps the order of insertions at one place.
        self.edits = edits.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(
            \.element)
        var new: [UInt8] = [], next = start.utf8Offset
        for edit in self.edits {
            new += bytes[next..<edit.start.utf8Offset] + edit.text.bytes
            next = edit.end.utf8Offset
        }
        newBytes = new + bytes[next..<end.utf8Offset]
    }

    var isEmpty: Bool { edits.isEmpty }

    /// Where a place of the old text is in the new one.
    func newOffset(of position: AbsolutePosition) -> Int {
        // An edit that begins at the place leaves its beginning where it is.
        edits.prefix { $0.start < position }.reduce(position.utf8Offset - start.utf8Offset) {
            $0 + $1.text.bytes.count - ($1.end.utf8Offset - $1.start.utf8Offset)
        }
    }

    /// Where a place of a part that moved here is in the new text; nil if none moved here that has
    /// it.
    func newOffset(of position: AbsolutePosition, inPartOf file: Int) -> Int? {
        for edit in edits {
            var offset = newOffset(of: edit.start)
            for piece in edit.text.pieces {
                switch piece {
                case .text(let text): offset += text.utf8.count
                case .moved(let part):
                    if part.file == file, part.edits.start <= position, position < part.edits.end {
                        return offset + part.edits.newOffset(of: position)
                    }
                    offset += part.edits.newBytes.count
                }
            }
        }
        return nil
    }
}

extension PortedSource.Place {
    init(_ offset: Int, in bytes: [UInt8]) {
        let before = bytes.prefix(offset), lineFeed = UInt8(ascii: "\n")
        let start = before.lastIndex(of: lineFeed).map { $0 + 1 } ?? 0
        self.init(line: before.count { $0 == lineFeed } + 1, column: before.count - start + 1)
    }
}
