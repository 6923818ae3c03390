import Folio
import Foundation

/// `folio versions DOC`, `folio versions prune|name|pin|unpin DOC …`
enum VersionsCommand: Command {
    static let specification = CommandSpecification(
        "versions", "lists the saved states of a document, names or pins some, or removes some", operands: "DOC",
        count: 1...1, options: [.model],
        subcommands: [
            Subcommand(
                "prune", "removes all but those that --keep says; pinned ones stay", operands: "DOC --keep WHAT",
                count: 1...1,
                options: [OptionSpecification(["--keep"], value: "WHAT", "with prune: which stay"), .dryRun]),
            Subcommand(
                "name", "gives a version a name, or with --remove takes it away", operands: "DOC@n NAME", count: 1...2,
                options: [OptionSpecification(["--remove"], "with name: take the name away"), .dryRun]),
            Subcommand(
                "pin", "keeps a version from being thinned out and pruned", operands: "DOC@n", count: 1...1,
                options: [.dryRun]),
            Subcommand(
                "unpin", "lets a version go with age again", operands: "DOC@n", count: 1...1, options: [.dryRun]),
        ],
        notes: """
            A version is the state right after the n-th save; DOC@n means it wherever a document is read. VERSION is what stands behind DOC@: a number, saved for the last save, \
            autosaved for work that is not saved yet. The last save becomes a version with the next one. BYTES is what keeping it takes, and * stands before the name of a pinned one.

            A package keeps the state before every save, and thins them out with age. An archive has versions where they were packed with it.

            WHAT of prune --keep is one of
              10            the ten newest
              12h, 30d, 8w  those of the last 12 hours, 30 days, 8 weeks
              20MB          as many of the newest as take that much (KB, MB, GB)
              thinned       one an hour of a day, one a day of a month, one a week before

            What was set aside, a journal that was not the document's own or versions that can't be read, goes with every prune; folio verify names it.

            With --json each state is an object with version (null for autosaved work), saved, reason, size, bytes, pinned, name, state (version, saved or autosaved) and document, \
            by which it is read.
            """,
        examples: [
            "folio versions Doc.folio", "folio fetch Doc.folio@3 Book",
            "folio versions name Doc.folio@3 'before the trip'", "folio versions pin Doc.folio@3",
            "folio versions prune Doc.folio --keep 30d --dry-run",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        switch try arguments.subcommand(of: specification)?.name {
        case "prune": try await prune(arguments.operands[1], arguments, console)
        case "name": try await name(arguments, console)
        case "pin": try await pin(true, arguments, console)
        case "unpin": try await pin(false, arguments, console)
        default: try await list(arguments, console)
        }
        return .done
    }

    /// Lists the versions and the newest states; for an earlier state, those up to it.
    private static func list(_ arguments: ParsedArguments, _ console: Console) async throws {
        let argument = DocumentArgument(arguments.operands[0])
        try await DocumentReader.reading(argument.path, model: arguments.value("--model"), console) { reader in
            var list = try VersionList(of: reader.document, path: argument.path)
            switch argument.state {
            case .version(let last):
                guard list.contains(generation: last) else {
                    throw InterchangeError.notFound("there is no version \(last)", path: argument.path)
                }
                list.removeStates(after: last)
            case .saved: list.removeAutosaved()
            case .autosaved where !reader.document.hasAutosavedWork:
                throw InterchangeError.notFound("there is no autosaved work", path: argument.path)
            case .autosaved, .newest, .base: break
            }
            if list.isEmpty, reader.document.generation == nil, !console.isJSON {
                console.say("note: \(Printable.line(argument.path)) is a store by itself, which keeps no versions")
            }
            list.write(console)
        }
    }
}
