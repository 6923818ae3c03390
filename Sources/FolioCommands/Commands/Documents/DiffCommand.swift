import Folio
import Foundation

/// `folio diff DOC DOC`
enum DiffCommand: Command {
    static let specification = CommandSpecification(
        "diff", "what two documents have differently, object by object; exit code 1 where they differ",
        operands: "DOC [DOC] [--stat] [--entity E]", count: 1...9, .opens,
        options: [
            OptionSpecification(["--stat"], "only how many objects of each entity were added, removed and changed"),
            OptionSpecification(["--entity"], value: "E", "only the objects of this entity, its sub-entities' not"),
        ],
        notes: """
            Of one document, what has changed since its last save, or, where all is saved, since its last version.

            Objects are the same that have the same entity and number, whatever the documents' UUIDs. Autosaved work counts. A link between two objects is
            told once: on the to-one side, or on one of two to-many sides. Bytes are shown by number and digest where they are many.

            For git, say in .gitattributes which files are documents:
              *.folioz diff=folio
            and let git show them by this command, object by object (git gives it seven arguments, and it then exits with 0):
              git config diff.folio.command 'folio diff --'
            or as text, for git log -p and git blame too:
              git config diff.folio.textconv 'folio export --textconv --'
            The store of a package is shown in the same way: store.sqlite diff=folio
            """,
        examples: ["folio diff Doc.folio Copy.folioz", "folio diff Doc.folio@3 Doc.folio --stat"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let operands = arguments.operands
        let isForGit = operands.count == 7 || operands.count == 9
        // For an unmerged path git passes no two files.
        if operands.count == 1, ProcessInfo.processInfo.environment["GIT_DIFF_PATH_COUNTER"] != nil {
            console.print("--- \(Printable.line(operands[0]))\nunmerged")
            return .done
        }
        guard operands.count == 2 || isForGit else {
            guard operands.count == 1 else {
                throw InterchangeError.usage("diff compares two documents", hint: specification.usage)
            }
            return try await compare(
                try await earlierState(operands[0], arguments, console), operands[0], arguments, console)
        }
        let (old, new) = isForGit ? (operands[1], operands[4]) : (operands[0], operands[1])
        if isForGit, console.isJSON { throw InterchangeError.usage("git is shown text: leave --json out") }
        if isForGit {
            console.print("--- \(Printable.line(operands[0]))")
            // If the document is missing on one side, there are no objects to compare.
            if old == "/dev/null" || new == "/dev/null" {
                console.print(old == "/dev/null" ? "a new document" : "the document is gone")
                return .done
            }
            do {
                _ = try await compare(old, new, arguments, console, isForGit: true)
            } catch {
                // An error of one file must not end git's output for the other files.
                guard let reason = InterchangeError(mapping: error).reasonForNoDocument else { throw error }
                console.print("not a Folio document: \(Printable.line(reason))")
            }
            return .done
        }
        return try await compare(old, new, arguments, console)
    }

    /// The previous state: the last save if there is autosaved work, otherwise the last version.
    private static func earlierState(_ text: String, _ arguments: ParsedArguments, _ console: Console) async throws
        -> String
    {
        let path = try DocumentArgument.path(text)
        return try await DocumentReader.reading(path, model: arguments.value("--model"), isQuiet: true, console) {
            reader in
            if reader.document.hasAutosavedWork { return path + "@saved" }
            guard let last = try reader.document.versions().last else {
                throw InterchangeError.notFound(
                    "there is no earlier version to compare with", path: path,
                    hint: "name two documents: folio diff DOC DOC")
            }
            return "\(path)@\(last.generation)"
        }
    }

    private static func compare(
        _ old: String, _ new: String, _ arguments: ParsedArguments, _ console: Console, isForGit: Bool = false
    ) async throws -> ExitCode {
        do {
            return try await isDifferent(old, new, arguments, console, isForGit: isForGit) ? .no : .done
        } catch let error as InterchangeError where error.exit == .done {
            // The pager that was closed showed differences.
            return .no
        }
    }

    private static func isDifferent(
        _ old: String, _ new: String, _ arguments: ParsedArguments, _ console: Console, isForGit: Bool
    ) async throws -> Bool {
        let model = arguments.value("--model"), entity = arguments.value("--entity")
        let isOfStores = isForGit && DocumentFormArgument.form(ofDocumentAt: new) == .store
        // Of two states of one document, the notes are those of the newer one.
        let isOneDocument = DocumentArgument(old).path == DocumentArgument(new).path
        return try await DocumentReader.reading(old, model: model, isQuiet: isOneDocument, console) { old in
            try await DocumentReader.reading(new, model: model, console) { new in
                let walk = try DifferenceWalk(from: old, to: new, entity: entity)
                let progress = Progress(total: 0, of: "differences", console)
                defer { progress.finish() }
                var report = DifferenceReport(
                    console, showsObjects: !arguments.has("--stat"), isOfStores: isOfStores)
                report.begin()
                try walk.forEach(compared: {
                    try console.output.check()
                    progress.advance()
                }) { report.add($0) }
                return report.finish(walk.modelDifferences)
            }
        }
    }
}
