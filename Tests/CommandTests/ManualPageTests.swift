import Foundation
import TestSupport
import Testing

/// Help texts in lines that fit, and the manual page.
struct ManualPageTests {
    private static let mandoc = ["/usr/bin/mandoc", "/usr/local/bin/mandoc"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    private static let script = ["/usr/bin/script"].first { FileManager.default.isExecutableFile(atPath: $0) }

    private static func commands() throws -> [[String: Any]] {
        try FolioCommand.run("help", "--json").object["commands"] as? [[String: Any]] ?? []
    }

    /// Lines that are wider, but for those that can't be broken: a single word, or what stands in
    /// quotes in an example.
    private static func wideLines(_ text: String, _ width: Int) -> [Substring] {
        text.split(whereSeparator: \.isNewline).filter { line in
            let text = line.drop { $0 == " " }
            return line.count > width && text.contains(" ") && text.first != "'"
        }
    }

    @Test func helpFitsALineOfEightyColumnsWhereThereIsNoTerminal() throws {
        let overview = try FolioCommand.run("help").output
        #expect(Self.wideLines(overview, 80) == [])
        #expect(overview == (try FolioCommand.run("--help").output))
        for command in try Self.commands() {
            let name = command["name"] as? String ?? ""
            let help = try FolioCommand.run("help", name).output
            #expect(Self.wideLines(help, 80) == [], "\(name)")
            // Options and what they mean stand in two columns.
            #expect(help.contains("\n  --json  ") && help.contains("\n  --help, -h  "), "\(name)")
            let columns = Set(
                help.split(separator: "\n").compactMap { line in
                    line.firstMatch(of: /^  --(?:json|no-progress|help, -h) +/).map {
                        line.distance(from: line.startIndex, to: $0.range.upperBound)
                    }
                })
            #expect(columns.count == 1, "\(name): \(columns)")
        }
    }

    @Test(.enabled(if: script != nil, "script(1) is not installed"), arguments: [(20, 40), (60, 60), (200, 100)])
    func helpFitsTheTerminal(columns: Int, width: Int) throws {
        for words in ["help fetch", "help", "migrate --help"] {
            let outcome = try FolioCommand.run(
                ["-qec", "stty cols \(columns); exec '\(FolioCommand.binary.path)' \(words) --no-pager", "/dev/null"],
                through: [Self.script ?? ""], alone: true)
            let longest = outcome.output.split(whereSeparator: \.isNewline).map(\.count).max() ?? 0
            #expect(
                outcome.exit == 0 && Self.wideLines(outcome.output, width) == [],
                "\(words): \(Self.wideLines(outcome.output, width))")
            #expect(longest > width - 15, "\(words): \(longest)")
        }
    }

    @Test func theManualPageTellsOfEveryCommandOptionAndExitCode() throws {
        let page = try FolioCommand.run("help", "--man")
        #expect(page.exit == 0 && page.output.hasPrefix(".Dd ") && page.messages.isEmpty)
        for heading in [
            "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "PREDICATES", "ENVIRONMENT", "FILES", "EXIT STATUS",
            "EXAMPLES",
        ] {
            #expect(page.output.contains("\n.Sh \(heading)\n"), "\(heading)")
        }
        for command in try Self.commands() {
            let name = command["name"] as? String ?? ""
            #expect(page.output.contains("\n.Ss folio \(name)\n"), "\(name)")
            for option in command["options"] as? [[String: Any]] ?? [] {
                let names = option["names"] as? [String] ?? []
                #expect(
                    page.output.contains("\n.It Fl \(names[0].dropFirst().replacing("-", with: "\\-"))"),
                    "\(name) \(names)")
            }
        }
        for code in [0, 1, 64, 65, 66, 69, 73, 74, 75, 76, 77, 78, 130] {
            #expect(page.output.contains("\n.It \(code)\n"), "\(code)")
        }
        #expect(try FolioCommand.run("help", "--man", "--json").exit == 64)
        #expect(try FolioCommand.run("help", "fetch", "--man").exit == 64)
    }
}

extension ManualPageTests {
    @Test(.enabled(if: mandoc != nil, "mandoc is not installed")) func mandocHasNothingToSayAgainstTheManualPage()
        throws
    {
        try withTemporaryDirectory { folder in
            let file = folder.appendingPathComponent("folio.1")
            try Data(try FolioCommand.run("help", "--man").output.utf8).write(to: file)
            let lint = try FolioCommand.run(["-Tlint", file.path], through: [Self.mandoc ?? ""], alone: true)
            #expect(lint.exit == 0 && lint.output.isEmpty, "\(lint.output)")
            let text = try FolioCommand.run(
                ["-Tascii", "-Owidth=80", file.path], through: [Self.mandoc ?? ""], alone: true
            ).output.replacing(/.\u{8}/, with: "")
            // What the page shows is what a shell takes.
            #expect(
                text.contains(#"--where 'title CONTAINS[cd] "dune" AND ANY tags.name == "sf"'"#)
                    || text.contains(#"'title CONTAINS[cd] "dune" AND ANY tags.name == "sf"'"#))
            #expect(text.contains("--no-backup") && text.contains("name == \"O'\\''Neill\""))
        }
    }
}
