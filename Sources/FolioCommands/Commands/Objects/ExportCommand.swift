import Folio

/// `folio export DOC`
enum ExportCommand: Command {
    static let specification = CommandSpecification(
        "export", "writes all objects as JSON, JSON lines or CSV",
        operands: "DOC [--format json|jsonl|csv] [--entity E] [-o FILE|--textconv]", count: 1...1,
        options: [
            .format("json (default), jsonl (one object a line) or csv (needs --entity)", ["json", "jsonl", "csv"]),
            OptionSpecification(["--entity"], value: "E", "only the objects of this entity, its sub-entities' not"),
            OptionSpecification(["--textconv"], "for git: of a file that is no document, say so and exit with 0"),
            .model,
        ],
        exclusions: [["--output", "--textconv"]],
        notes: """
            Dates are ISO 8601 in UTC, Decimal and UUID strings, bytes base64 (of the stored value, for Transformable), NaN and infinities
            the strings "NaN", "Infinity" and "-Infinity"; a date that no calendar has is its number of seconds since 2001. A large value whose
            file is missing is {"$missing": "<name>"}. Entities stand by name, objects by number; names sort by code unit.
            """,
        examples: [
            "folio export Doc.folio -o doc.json",
            "folio export Recipes.sqlite --model Recipes.xcdatamodeld --entity Recipe --format csv",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard arguments.has("--textconv") else { return try await export(arguments, console) }
        do {
            return try await export(arguments, console)
        } catch {
            guard let reason = InterchangeError(mapping: error).reasonForNoDocument else { throw error }
            console.print("not a Folio document: \(Printable.line(reason))")
            return .done
        }
    }

    private static func export(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let format = arguments.value("--format").flatMap(ExportFormat.init) ?? .json
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            try reader.document.savedStore.checkPages()
            let progress = Progress(total: 0, of: "objects", console)
            defer { progress.finish() }
            let exporter = try DocumentExporter(
                store: reader.store, entityName: arguments.value("--entity"),
                progress: console.showsProgress ? { progress.show($0) } : nil)
            try exporter.write(format, to: console.output)
            progress.finish()
            let omissions = try exporter.omissions()
            OmissionNote.say(cells: omissions.cells, links: omissions.links, console)
            try exporter.checkCompleteness()
        }
        return .done
    }
}
