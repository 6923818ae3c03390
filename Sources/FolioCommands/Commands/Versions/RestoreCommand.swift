import Folio
import Foundation

/// `folio restore DOC@n`
enum RestoreCommand: Command {
    static let specification = CommandSpecification(
        "restore", "makes an earlier version the document's saved state again, or copies it",
        operands: "DOC@n [-o NEW [--force]]", count: 1...1, [.opens, .writes, .replaces],
        options: [
            OptionSpecification(
                ["--output", "-o"], value: "NEW",
                "write the version there as a document of its own, and leave DOC as it is")
        ],
        notes: """
            What the document holds now is kept as a version first, so that this can be taken back. The restored state is the newest save; versions keep their numbers.
            A copy has an identity of its own, and the form that its extension says, or else that of DOC.
            """,
        examples: ["folio versions Doc.folio", "folio restore Doc.folio@3", "folio restore Doc.folio@3 -o Old.folio"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let document = DocumentArgument(arguments.operands[0])
        guard document.state != .newest else {
            throw InterchangeError.usage(
                "say which version",
                hint:
                    "folio versions \(ShellWord.quoted(document.path)) lists them; folio restore \(ShellWord.quoted(document.path))@n restores one"
            )
        }
        if let target = try arguments.value("--output").map({ try DocumentArgument.path($0) }) {
            try DocumentFormArgument.refuseExisting(target, of: arguments.operands[0], arguments)
            try await copy(arguments, to: target, console)
        } else {
            try DocumentFormArgument.refuseForceWithoutOutput(arguments, specification)
            try await restore(document, arguments, console)
        }
        return .done
    }

    private static func copy(_ arguments: ParsedArguments, to target: String, _ console: Console) async throws {
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            let url = URL(fileURLWithPath: target), form = DocumentForm(extensionOf: target)
            if arguments.has(OptionSpecification.dryRun) {
                if console.isJSON {
                    console.print(.object(["dryRun": .bool(true), "path": .string(target), "uuid": .null]))
                }
                return console.say("would write \(Printable.line(target))")
            }
            try await console.interruption.committing {
                try await reader.document.write(
                    to: url, form: form, replacing: arguments.has(OptionSpecification.force))
            }
            console.hasWritten = true
            DocumentFormArgument.noteMissingModel(form, console)
            if console.isJSON {
                console.print(
                    .object([
                        "dryRun": .bool(false), "path": .string(target),
                        "uuid": .string(try DocumentInfo(of: url).uuid),
                    ]))
            }
        }
    }

    private static func restore(_ document: DocumentArgument, _ arguments: ParsedArguments, _ console: Console)
        async throws
    {
        let url = URL(fileURLWithPath: document.path)
        guard case .version(let generation) = document.state else {
            throw InterchangeError.usage(
                "only a version that was saved is restored in place",
                hint: "autosaved work is kept or discarded by folio recover")
        }
        try EditingCheck.refuseLocked(document.path)
        if arguments.has(OptionSpecification.dryRun) {
            try EditingCheck.check(document.path)
            try VersionRestorer.checkRestoring(url.path, to: generation)
            let versions = try await DocumentReader.reading(
                arguments.operands[0], model: arguments.value("--model"), console
            ) { _ in try DocumentInfo(of: url).versions }
            if console.isJSON { print(generation, of: document.path, versions: versions, isDryRun: true, console) }
            return console.say("would restore version \(generation) of \(Printable.line(document.path))")
        }
        console.reportOutsideCommits(at: document.path)
        let isChanged = try await console.interruption.committing {
            try VersionRestorer.restore(url.path, to: generation)
        }
        console.hasWritten = isChanged
        if !isChanged {
            console.say(
                "note: \(Printable.line(document.path)) is in the state of save \(generation) already: nothing was to be done"
            )
        }
        if console.isJSON {
            print(generation, of: document.path, versions: try DocumentInfo(of: url).versions, isDryRun: false, console)
        }
    }

    private static func print(_ generation: Int, of path: String, versions: Int, isDryRun: Bool, _ console: Console) {
        console.print(
            .object([
                "dryRun": .bool(isDryRun), "path": .string(path), "restored": .int(generation),
                "versions": .int(versions),
            ]))
    }
}
