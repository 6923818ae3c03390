import Foundation

/// The commands of a page and what they print, run in one shell.
struct Transcript {
    /// A command with the lines of the page that show its output.
    struct Step {
        let command: String
        /// Nil for one that is not shown.
        let output: Range<Int>?
    }

    let steps: [Step]

    init(_ page: ManualPage) {
        var steps: [Step] = []
        for block in page.blocks where block.reason == nil {
            if block.language == "hidden sh" {
                steps.append(Step(command: page.text(block).joined(separator: "\n"), output: nil))
            } else if block.language == "console" {
                steps += Self.steps(page, block.range)
            }
        }
        self.steps = steps
    }

    /// A command goes on behind a backslash at the end of a line, to the end of a here document,
    /// and in lines that begin as a shell's second prompt does.
    private static func steps(_ page: ManualPage, _ range: Range<Int>) -> [Step] {
        var steps: [Step] = []
        var line = range.lowerBound
        while line < range.upperBound {
            guard page.lines[line].hasPrefix("$ ") else {
                line += 1
                continue
            }
            var command = [String(page.lines[line].dropFirst(2))]
            line += 1
            let terminator = command[0].firstMatch(of: /<<'(\w+)'/).map { String($0.output.1) }
            while line < range.upperBound,
                terminator != nil ? command.last != terminator : command.last?.hasSuffix("\\") == true
            {
                command.append(page.lines[line])
                line += 1
            }
            while terminator == nil, line < range.upperBound, page.lines[line].hasPrefix("> ") {
                command.append(String(page.lines[line].dropFirst(2)))
                line += 1
            }
            let start = line
            while line < range.upperBound, !page.lines[line].hasPrefix("$ ") { line += 1 }
            steps.append(Step(command: command.joined(separator: "\n"), output: start..<line))
        }
        return steps
    }

    /// - Returns: What each step printed.
    func run(in sandbox: ManualSandbox) throws -> [[String]] {
        let mark = "\u{1E}"
        // Whatever a command ends with is what `$?` is for the next one.
        var lines = ["exec 2>&1", "set +e"]
        for step in steps { lines += ["folio_status=$?; printf '\(mark)'; (exit $folio_status)", step.command] }
        let script = sandbox.file("script")
        try (lines.joined(separator: "\n") + "\n").write(to: script, atomically: true, encoding: .utf8)
        let outcome = try sandbox.run(["bash", script.path])
        let outputs = outcome.output.components(separatedBy: mark).dropFirst().map { PrintedText.lines($0) }
        guard outputs.count == steps.count else {
            throw ManualFailure("the shell ended early: \(outcome.output.suffix(1000))")
        }
        return Array(outputs)
    }
}
