import Foundation
import TestSupport

/// What `folio help --json` says, as pages of the manual.
enum CommandHelp {
    struct Overview: Decodable {
        let commands: [Command]
    }

    struct Command: Decodable {
        let name: String
        let summary: String
        let usage: String
        let notes: String
        let examples: [String]
        let exclusions: [[String]]
        let options: [Option]
        let subcommands: [Subcommand]
    }

    struct Option: Decodable, Equatable {
        let names: [String]
        let value: String?
        let summary: String
        let choices: [String]
        let isRepeatable: Bool
    }

    struct Subcommand: Decodable {
        let name: String
        let summary: String
        let usage: String
    }

    struct Predicates: Decodable {
        let sections: [Section]
    }

    struct Section: Decodable {
        let title: String
        let notes: String
        let examples: [Example]
    }

    struct Example: Decodable {
        let predicate: String
        let sql: String
        let entity: String
    }

    static func run<Answer: Decodable>(_ words: String..., as type: Answer.Type) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(output(words + ["--json"]).utf8))
    }

    static func text(_ words: String...) throws -> String { try output(words) }

    private static func output(_ words: [String]) throws -> String {
        try withTemporaryDirectory { try ManualSandbox(in: $0).run(["folio"] + words).output }
    }

    // MARK: Pages

    /// The commands, with the options that all of them have told once.
    static func commandLines(_ overview: Overview) -> [String] {
        let common = overview.commands.first.map { first in
            first.options.filter { option in overview.commands.allSatisfy { $0.options.contains(option) } }
        }
        var lines = ["## Every command has", ""] + optionTable(common ?? [])
        for command in overview.commands {
            lines += ["", "## folio \(command.name)", "", sentence(command.summary), "", "```text"]
            lines += ([command.usage] + command.subcommands.map(\.usage)).flatMap(wrapped) + ["```"]
            if !command.subcommands.isEmpty {
                lines += ["", "| | |", "|---|---|"]
                lines += command.subcommands.map { "| `\($0.name)` | \(cell($0.summary)) |" }
            }
            let own = command.options.filter { common?.contains($0) != true }
            if !own.isEmpty { lines += [""] + optionTable(own) }
            for group in command.exclusions {
                lines += ["", "Of \(group.map { "`\($0)`" }.joined(separator: ", ")) only one can be given."]
            }
            lines += notes(command.notes)
            if !command.examples.isEmpty { lines += ["", "```sh"] + command.examples + ["```"] }
        }
        return lines
    }

    /// A usage line as the page is wide.
    private static func wrapped(_ usage: String) -> [String] {
        usage.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= 72 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append((lines.isEmpty ? "" : "    ") + word)
            }
        }
    }

    private static func optionTable(_ options: [Option]) -> [String] {
        ["| Option | |", "|---|---|"]
            + options.map { option in
                let names = option.names.map { "`\($0)`" }.joined(separator: ", ")
                let value = option.value.map { " *\($0)*" } ?? ""
                let more = option.isRepeatable ? "; may be given several times" : ""
                return "| \(names)\(value) | \(cell(option.summary))\(more) |"
            }
    }

    /// The language of predicates beside SQL.
    static func predicateLines(_ predicates: Predicates) -> [String] {
        var lines: [String] = []
        for section in predicates.sections {
            lines += (lines.isEmpty ? [] : [""]) + ["## \(section.title)"]
            if !section.examples.isEmpty {
                lines += ["", "| Predicate | Of | In SQL |", "|---|---|---|"]
                lines += section.examples.map {
                    "| `\($0.predicate.replacing("|", with: "\\|"))` | \($0.entity) | \(sqlCell($0.sql)) |"
                }
            }
            lines += notes(section.notes)
        }
        return lines
    }

    /// SQL in code voice, remarks as text.
    private static func sqlCell(_ sql: String) -> String {
        if ["without ", "the ", "how "].contains(where: sql.hasPrefix) { return cell(sql) }
        let remark = sql.firstMatch(of: #/; |, and |, of |, but /#)
        let code = sql[..<(remark?.range.lowerBound ?? sql.endIndex)]
        return "`\(code.replacing("|", with: "\\|"))`" + cell(sql[code.endIndex...])
    }

    /// Paragraphs are text, lines that begin with a space stand as they are.
    private static func notes(_ text: String) -> [String] {
        var lines: [String] = []
        var isLiteral = false
        for line in text.components(separatedBy: "\n") where !text.isEmpty {
            let isFixed = line.hasPrefix(" ")
            if isFixed != isLiteral {
                lines += isFixed ? ["", "```text"] : ["```"]
                if !isFixed, !line.isEmpty { lines.append("") }
                isLiteral = isFixed
            } else if lines.isEmpty {
                lines.append("")
            }
            lines.append(isFixed ? line : cell(line))
        }
        return isLiteral ? lines + ["```"] : lines
    }

    private static func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + cell(text.dropFirst()) + "."
    }

    /// Text in which characters that Markdown would take for its own are escaped.
    private static func cell(_ text: some StringProtocol) -> String {
        text.reduce(into: "") { result, character in
            if "\\*|<_[`".contains(character) { result.append("\\") }
            result.append(character)
        }
    }
}
