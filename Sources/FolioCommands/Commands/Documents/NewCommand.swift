import Folio
import Foundation

/// `folio new DOC --model MODEL`
enum NewCommand: Command {
    static let specification = CommandSpecification(
        "new", "makes an empty document with its model embedded",
        operands: "DOC --model MODEL [--archive|--package|--store sqlite|binary|xml] [--force]", count: 1...1,
        [.opens, .writes, .replaces], options: DocumentFormArgument.options,
        exclusions: [DocumentFormArgument.exclusion],
        examples: [
            "folio new Library.folio --model Library.xcdatamodeld",
            "folio new Library.sqlite --model Library.xcdatamodeld",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let modelText = arguments.value("--model") else {
            throw InterchangeError.usage("a new document needs a model", hint: "name it with --model MODEL")
        }
        let path = try DocumentArgument.path(arguments.operands[0])
        let form = try DocumentFormArgument.form(arguments, of: path, console)
        let loaded = try await ModelArgument.load(modelText, console)
        try DocumentFormArgument.refuseExisting(path, of: modelText, arguments)
        if arguments.has(OptionSpecification.dryRun) {
            if console.isJSON { console.print(.object(["dryRun": .bool(true), "path": .string(path), "uuid": .null])) }
            console.say(
                "would make \(Printable.line(path)) with the model \(Printable.line(loaded.version ?? loaded.name))")
            return .done
        }
        let uuid = try await console.interruption.committing {
            let document = try await PersistentDocument.create(
                at: URL(fileURLWithPath: path), model: loaded.model, form: form,
                modelName: loaded.version ?? loaded.name, replacing: arguments.has(OptionSpecification.force))
            let uuid = document.uuid
            try await document.close()
            return uuid
        }
        console.hasWritten = true
        if form == .xmlStore {
            console.say(
                "note: an XML store has no place for its model: other commands need it too, --model \(Printable.line(modelText))"
            )
        }
        if console.isJSON {
            console.print(.object(["dryRun": .bool(false), "path": .string(path), "uuid": .string(uuid)]))
        }
        return .done
    }
}
