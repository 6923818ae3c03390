import Folio
import Foundation

/// `folio recover DOC`
enum RecoverCommand: Command {
    static let specification = CommandSpecification(
        "recover", "keeps or discards work that an editor autosaved and never saved",
        operands: "DOC (--keep|--discard|--list)", count: 1...1, [.opens, .writes],
        options: [
            OptionSpecification(["--list"], "say since when there is such work, and change nothing"),
            OptionSpecification(["--keep"], "save the work"),
            OptionSpecification(["--discard"], "go back to the last save"),
        ], exclusions: [["--list", "--keep", "--discard"]],
        notes: """
            An editor that crashed leaves what it autosaved. Commands that write refuse such a document until it is decided what becomes of the work.
            What --discard takes out of a package is set aside in it until the next save; of an archive it is gone.
            Kept work has to follow the model's rules; where it does not, it stays unsaved.
            """,
        examples: ["folio recover Doc.folio --list", "folio recover Doc.folio --keep"])

    private enum Choice: String {
        case list, keep, discard
    }

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let choice = [Choice.list, .keep, .discard].first(where: { arguments.has("--\($0.rawValue)") }) else {
            throw InterchangeError.usage("say what becomes of the work", hint: specification.usage)
        }
        let path = try DocumentArgument.path(arguments.operands[0])
        let url = URL(fileURLWithPath: path), model = try FittingModel.choice(arguments.value("--model"))
        let info = try DocumentInfo(of: url, countsObjects: false, fitting: model)
        // Unsaved work of an open editor belongs to the editor.
        if let holder = info.lock {
            guard choice == .list else {
                throw InterchangeError(
                    .tryLater, "locked", "open in \(holder)", path: path, hint: "try again later",
                    detail: .object(["holder": holder.json]))
            }
            console.say("note: \(Printable.line(path)) is open in \(holder), which may go on with the work")
        }
        console.reportOutsideCommits(info.outsideCommits, path)
        if choice != .list, info.hasUnsavedChanges {
            try EditingCheck.check(path, recovery: choice == .keep ? .keep : .discard, fitting: model)
        }
        let isDone = choice != .list && !arguments.has(OptionSpecification.dryRun) && info.hasUnsavedChanges
        if isDone {
            try await console.interruption.committing { try await settle(url, choice, model, console) }
            console.hasWritten = true
        }
        report(info, choice, isDone: isDone, Printable.line(path), console)
        return .done
    }

    private static func settle(
        _ url: URL, _ choice: Choice, _ model: ModelChoice,
        _ console: Console
    ) async throws {
        let document = try await DocumentOpening.open(
            url, mode: .editing, recovery: choice == .keep ? .keep : .discard, fitting: model)
        do {
            if choice == .keep { try await document.save() }
        } catch {
            try? await document.close()
            throw error
        }
        if let problem = document.postCommitError { console.reportUnfinished(problem) }
        do { try await document.close() } catch { console.reportUnfinished(error) }
    }

    private static func report(_ info: DocumentInfo, _ choice: Choice, isDone: Bool, _ path: String, _ console: Console)
    {
        func date(_ date: Date?) -> JSONValue { date.map { .string(ValueText.moment($0)) } ?? .null }
        let done = isDone ? (choice == .keep ? "kept" : "discarded") : nil
        if console.isJSON {
            console.print(
                .object([
                    "hasUnsavedChanges": .bool(info.hasUnsavedChanges), "saved": date(info.saved),
                    "autosaved": date(info.autosaved),
                    "done": done.map { .string($0) } ?? .null,
                ]))
            return
        }
        guard info.hasUnsavedChanges else { return console.say("nothing to recover in \(path)") }
        let span = [
            info.saved.map { "since the save of \(ValueText.moment($0))" },
            info.autosaved.map { "until \(ValueText.moment($0))" },
        ].compactMap { $0 }
        let work = (["autosaved work"] + span).joined(separator: " ")
        if let done {
            console.say("\(done) \(work)")
        } else if choice == .list {
            console.print(work)
        } else {
            console.say("would \(choice.rawValue) \(work)")
        }
    }
}
