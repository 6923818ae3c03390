import Folio
import Foundation

/// `folio save-as DOC NEW`
enum SaveAsCommand: Command {
    static let specification = CommandSpecification(
        "save-as", "writes a document again in another place or form",
        operands:
            "DOC NEW [--archive|--package|--store sqlite|binary|xml] [--with-versions|--without-history] [--force]",
        count: 2...2, [.opens, .writes, .replaces],
        options: DocumentFormArgument.options + [
            OptionSpecification(["--without-history"], "leave the store's persistent history out"),
            OptionSpecification(
                ["--with-versions"], "take the earlier versions along; they show text that was deleted since"),
        ],
        exclusions: [
            DocumentFormArgument.exclusion, ["--with-versions", "--without-history"], ["--with-versions", "--store"],
        ],
        notes:
            "The new document has an identity of its own: a new UUID, which object URIs show. Objects keep their numbers.",
        examples: [
            "folio save-as Recipes.sqlite Recipes.folio --model Recipes.xcdatamodeld",
            "folio save-as Doc.folio Doc.folioz",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let target = try DocumentArgument.path(arguments.operands[1])
        let form = try DocumentFormArgument.form(arguments, of: target, console)
        if arguments.has("--with-versions"), ![.package, .archive].contains(form) {
            throw InterchangeError.usage(
                "a store by itself has no place for versions",
                hint: "write a package or an archive, or leave --with-versions out")
        }
        try DocumentFormArgument.refuseExisting(target, of: arguments.operands[0], arguments)
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            if arguments.has(OptionSpecification.dryRun) {
                if console.isJSON {
                    console.print(.object(["dryRun": .bool(true), "path": .string(target), "uuid": .null]))
                }
                return console.say("would write \(Printable.line(target))")
            }
            let url = URL(fileURLWithPath: target)
            try await console.interruption.committing {
                try await reader.document.write(
                    to: url, form: form, replacing: arguments.has("--force"),
                    includingVersions: arguments.has("--with-versions"),
                    includingHistory: !arguments.has("--without-history"))
            }
            console.hasWritten = true
            // A package's store is copied as it is; every other one row by row, where it is not
            // written as SQLite.
            let omissions = try reader.store.omissions()
            OmissionNote.say(cells: omissions.cells, links: omissions.links, console)
            DocumentFormArgument.noteMissingModel(form, console)
            if console.isJSON {
                console.print(
                    .object([
                        "dryRun": .bool(false), "path": .string(target),
                        "uuid": .string(try DocumentInfo(of: url).uuid),
                    ]))
            }
        }
        return .done
    }
}
