import Foundation
import TestSupport
import Testing

/// What a merge makes of cases that happen, beside what a merge by rows makes of them, as the page
/// *Git and merging* shows it.
struct MergeTableTests {
    @Test(.enabled(if: RowMerge.isAvailable, "SQLite has no session extension here"))
    func theTableOfMergesIsWhatHappens() async throws {
        #expect(MergeCase.all.count >= 30)
        var lines = ["", "| Done on both sides | Folio | by rows |", "|---|---|---|"]
        var lost: [String] = []
        for merge in MergeCase.all {
            try await withFolder { folder in
                let document = try await MergeCaseDocument(folder: folder).result(merge)
                let rows = try MergeCaseTables(folder: folder).result(merge)
                lines.append("| \(merge.title) | \(document.words) | \(rows.words) |")
                if case .merged(let words) = document, !words.isEmpty { lost.append("\(merge.title): \(words)") }
            }
        }
        // Whatever a merge by rows does: nothing is lost here without a word.
        #expect(lost.isEmpty)
        lines.append("")
        let part = try GeneratedPart(of: Manual.page("GitAndMerging"))
        #expect(
            try part.holds(lines), "FOLIO_WRITE_MANUAL=1 writes the page anew:\n\(lines.joined(separator: "\n"))")
    }
}
