import PortReport
import SwiftSyntax

/// Text that replaces a range of a file.
struct SourceEdit {
    let start: AbsolutePosition
    let end: AbsolutePosition
    let text: String
}

/// The edits of a file, none of which overlaps another.
struct SourceEdits {
    private let edits: [SourceEdit]
    private let oldBytes: [UInt8]
    private let newBytes: [UInt8]

    init(_ edits: [SourceEdit], of text: String) {
        self.edits = edits.sorted { $0.start < $1.start }
        oldBytes = Array(text.utf8)
        var bytes = oldBytes
        for edit in self.edits.reversed() {
            bytes.replaceSubrange(edit.start.utf8Offset..<edit.end.utf8Offset, with: Array(edit.text.utf8))
        }
        newBytes = bytes
    }

    var newText: String { String(decoding: newBytes, as: UTF8.self) }

    /// Notes in the order of the file, with their places before and after the edits.
    func placed(_ notes: [PortNote]) -> [PortedSource.Note] {
        notes.sorted { $0.position < $1.position }.map { note in
            let offset = note.position.utf8Offset
            // An edit that begins at the place leaves its beginning where it is.
            let shift = edits.prefix { $0.start.utf8Offset < offset }.reduce(0) {
                $0 + $1.text.utf8.count - ($1.end.utf8Offset - $1.start.utf8Offset)
            }
            return PortedSource.Note(
                Self.place(offset, in: oldBytes), newPlace: Self.place(offset + shift, in: newBytes), note.message)
        }
    }

    private static func place(_ offset: Int, in bytes: [UInt8]) -> PortedSource.Place {
        let before = bytes.prefix(offset), lineFeed = UInt8(ascii: "\n")
        let start = before.lastIndex(of: lineFeed).map { $0 + 1 } ?? 0
        return PortedSource.Place(line: before.count { $0 == lineFeed } + 1, column: before.count - start + 1)
    }
}
