import Folio
import Foundation

/// `folio diff DOC DOC`
enum DiffCommand: Command {
    static let specification = CommandSpecification(
        "diff", "what two documents have differently, object by object; exit code 1 where they differ", operands: "DOC DOC [--stat]", count: 1...9,
        options: [OptionSpecification(["--stat"], "only how many objects of each entity were added, removed and changed"), .model],
        notes: """
            Objects are the same that have the same entity and number, whatever the documents' UUIDs. Autosaved work counts. A link between two objects is
            told once: on the to-one side, or on one of two to-many sides. Bytes are shown by number and digest where they are many.

            For git, say in .gitattributes which files are documents:
              *.folioz diff=folio
            and let git show them by this command, object by object (git gives it seven arguments, and it then exits with 0):
              git config diff.folio.command 'folio diff'
            or as text, for git log -p and git blame too:
              git config diff.folio.textconv 'folio export'
            The store of a package is shown in the same way: store.sqlite diff=folio
            """,
        examples: ["folio diff Doc.folio Copy.folioz", "folio diff Doc.folio@3 Doc.folio --stat"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let operands = arguments.operands
        let isForGit = operands.count == 7 || operands.count == 9
        // Of a path that a merge has not settled git has no two sides to give.
        if operands.count == 1, ProcessInfo.processInfo.environment["GIT_DIFF_PATH_COUNTER"] != nil {
            console.print("--- \(Printable.line(operands[0]))\nunmerged")
            return .done
        }
        guard operands.count == 2 || isForGit else {
            throw CommandError.usage("diff compares two documents", hint: specification.usage)
        }
        let (old, new) = isForGit ? (operands[1], operands[4]) : (operands[0], operands[1])
        if isForGit, console.isJSON { throw CommandError.usage("git is shown text: leave --json out") }
        if isForGit {
            console.print("--- \(Printable.line(operands[0]))")
            // What is not there on one side has no objects to tell of.
            if old == "/dev/null" || new == "/dev/null" {
                console.print(old == "/dev/null" ? "a new document" : "the document is gone")
                return .done
            }
        }
        let model = arguments.value("--model")
        let isDifferent = try await DocumentReader.reading(old, model: model, console) { old in
            try await DocumentReader.reading(new, model: model, console) { new in
                let comparison = DocumentComparison(from: old.document, to: new.document)
                let progress = Progress(total: 0, of: "differences", console)
                defer { progress.finish() }
                var report = DifferenceReport(console, showsObjects: !arguments.has("--stat"))
                report.begin()
                try comparison.forEachDifference(old.store, new.store) { difference in
                    try console.interruption.check()
                    try console.output.check()
                    report.add(difference)
                    progress.advance()
                }
                return report.finish(comparison.modelDifferences)
            }
        }
        return isDifferent && !isForGit ? .no : .done
    }
}
