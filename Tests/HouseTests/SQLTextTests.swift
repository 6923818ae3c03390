import Foundation
import Testing

/// How SQL is written in the sources: values and texts of users are arguments, never parts of a
/// statement.
struct SQLTextTests {
    private static var keywords: Regex<(Substring, Substring)> {
        /\b(SELECT|INSERT|UPDATE|DELETE|WHERE|HAVING|ORDER BY|GROUP BY|LIKE|VALUES|MATCH)\b/
    }

    /// Lines of code of a folder that hold SQL with something put in.
    private func lines(in folder: String) throws -> [(place: String, code: Substring)] {
        let files = try House.swiftFiles(
            in: House.root.appendingPathComponent("Sources").appendingPathComponent(folder))
        #expect(!files.isEmpty)
        return try files.flatMap { file in
            var opening: Substring = ""
            return try House.lines(of: file).enumerated().compactMap { number, line in
                // A call's parenthesis may end the line before.
                let text = line.drop { $0 == " " }, code = opening + text
                opening = text.hasSuffix("(") ? text : ""
                return text.hasPrefix("//") || !code.contains("\\(")
                    ? nil : ("\(House.name(of: file)):\(number + 1)", code)
            }
        }
    }

    /// Predicates become SQL here: every interpolation goes through `SQLTemplate`, which takes
    /// fragments, names and values and no text.
    @Test func predicatesBecomeSQLThroughTemplatesAlone() throws {
        var count = 0
        for (place, code) in try lines(in: "SQLiteStore/SQLTranslation") {
            #expect(!code.contains("SQLFragment(\""), "\(place): \(code)")
            guard code.contains(Self.keywords), !code.contains("unsupported("), !code.contains("typeError("),
                !code.contains("QueryError(")
            else { continue }
            count += 1
            #expect(code.contains(".sql(\"") || code.contains("sql(\""), "\(place): \(code)")
        }
        #expect(count > 4)
    }

    /// Nowhere is a value put between quotes by hand.
    @Test func nothingIsQuotedByHand() throws {
        for module in [
            "SQLiteStore", "SQLiteKit", "DocumentKit", "FileMigration", "Merging", "Migration", "Interchange",
            "FolioCommands",
        ] {
            for (place, code) in try lines(in: module) where code.contains(Self.keywords) {
                #expect(!code.contains("'\\("), "\(place): \(code)")
                #expect(!code.contains("\\\"\\("), "\(place): \(code)")
            }
        }
    }
}
