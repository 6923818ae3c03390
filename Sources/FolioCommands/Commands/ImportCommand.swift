import Folio

/// `folio import DOC FILE`
enum ImportCommand: Command {
    static let specification = CommandSpecification(
        "import", "adds the objects of a JSON, JSON lines or CSV file", operands: "DOC FILE [--entity E]", count: 2...2,
        options: [OptionSpecification(["--entity"], value: "E", "the entity of the objects, where the file does not say it"), .model, .dryRun],
        notes: """
            FILE is what export writes, in any of its formats (told apart by content), or flat objects; - is standard input. Into an empty document objects
            keep their numbers; into another they get new ones, and --json prints which. Relationships lead to objects of the file, else of the document.
            """,
        examples: ["folio export Old.folio | folio import New.folio -"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let file = try ImportFile(at: arguments.operands[1], entityName: arguments.value("--entity"))
        try await DocumentEditor.editing(arguments.operands[0], arguments, console) { editor in
            if let name = arguments.value("--entity") { _ = try EntityLookup.entity(named: name, in: editor.context.model) }
            let wasEmpty = try editor.isEmpty
            var importer = DocumentImporter(editor.context, store: editor.identity, path: arguments.operands[1], console)
            try importer.run(file)
            if wasEmpty { try importer.keepNumbers() }
            let isSaved = try await editor.commit()
            let count = importer.created.count
            let missing = importer.missing.map { (name: "\(ImportRecord.shortName($0.object.objectID.description)).\($0.key)", file: $0.fileName) }
            if console.isJSON {
                var objects: [String: JSONValue] = [:]
                for (record, object) in importer.created where isSaved {
                    if let id = record.id { objects[id] = .string(object.objectID.description) }
                }
                console.print(.object(["count": .int(count), "dryRun": .bool(!isSaved), "missing": .array(missing.map { .object(["file": .string($0.file), "value": .string($0.name)]) }), "objects": .object(objects)]))
            } else {
                console.say("\(isSaved ? "imported" : "would import") \(count) object\(count == 1 ? "" : "s")")
                if !missing.isEmpty {
                    console.say("note: the export has no bytes for \(missing.count) value\(missing.count == 1 ? "" : "s"), whose files were missing:")
                    for value in missing.prefix(10) { console.say(Printable.line("  \(value.name) (\(value.file))")) }
                    if missing.count > 10 { console.say("  and \(missing.count - 10) more") }
                }
            }
        }
        return .done
    }
}
