import Foundation

/// A part of a page that is made from what the program says of itself.
struct GeneratedPart {
    private static let start = "<!-- generated -->", end = "<!-- end of generated -->"

    let page: ManualPage
    private let range: Range<Int>

    init(of page: ManualPage) throws {
        guard let start = page.lines.firstIndex(of: Self.start), let end = page.lines.firstIndex(of: Self.end),
            start < end
        else { throw ManualFailure("\(page.name) has no generated part") }
        self.page = page
        range = (start + 1)..<end
    }

    var lines: [String] { Array(page.lines[range]) }

    /// Puts `lines` there where the manual is written.
    /// - Returns: Whether they stand there.
    func holds(_ lines: [String]) throws -> Bool {
        if Manual.isWriting { try page.write(replacing: [(range, lines)]) }
        return Manual.isWriting || lines == self.lines
    }
}
