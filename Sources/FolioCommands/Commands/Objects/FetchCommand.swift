import Folio

/// `folio fetch DOC ENTITY`
enum FetchCommand: Command {
    static let specification = CommandSpecification(
        "fetch", "prints the objects of an entity that fit a condition",
        operands: "DOC [ENTITY] [--where PREDICATE] [--sort k,-k] [--limit n] …", count: 1...2,
        options: FetchQuery.options + [
            OptionSpecification(["--count"], "only how many there are"),
            .format(
                "table (default), lines (key: value), json, jsonl or csv", ["table", "lines", "json", "jsonl", "csv"]),
            .model,
        ],
        notes:
            "Without an entity, the entities are listed with the number of their objects. Objects of sub-entities take part. "
            + FetchQuery.notes + "\n" + FetchQuery.formatNotes,
        examples: [
            "folio fetch Doc.folio Book --where 'title CONTAINS[cd] \"dune\" AND ANY tags.name == \"sf\"' --sort author.name,-year",
            "folio fetch Doc.folio Book --columns title,author.name --format csv",
            "folio fetch Doc.folio Book --group-by author.name --columns 'author.name,count,max(year) AS last' --having 'count > 3' --sort -count",
            "folio fetch Doc.folio Book --group-by 'year(published) AS year,month(published) AS month' --sort year,month",
            "folio fetch Doc.folio --template longJourneys --with LEAST=1000",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let format = arguments.value("--format") ?? (console.isJSON ? "json" : "table")
        if arguments.has("--count"), let format = arguments.value("--format"), format != "json" {
            throw InterchangeError.usage(
                "--count and --format \(format) exclude each other",
                hint: "--count prints a number, with --json an object with it")
        }
        let window = try FetchQuery.Window(arguments)
        if arguments.operands.count == 1, !arguments.has("--template") {
            return try await EntityList.run(arguments, format, console)
        }
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            let query = try FetchQuery(arguments, window, in: reader.store.identity)
            SQLHabits.noteYears(arguments, of: query.entity, in: reader.model, console)
            if arguments.has("--count") {
                let count =
                    query.isEmpty
                    ? 0
                    : try query.rows.map { try reader.context.count(for: $0) }
                        ?? reader.context.count(for: query.objects)
                if console.isJSON || format == "json" {
                    console.print(.object(["count": .int(count)]))
                } else {
                    console.print(String(count))
                }
                return
            }
            if let rows = query.rows {
                let found = try reader.context.fetch(rows)
                return try FetchedRows(query.isEmpty ? [] : found, columns: query.columns, console).write(format)
            }
            let objects = query.isEmpty ? [] : try reader.context.fetch(query.objects)
            if query.columns.columns.isEmpty {
                try FetchedObjects(objects, entity: query.entity, reader, console).write(
                    format, fitting: !arguments.has(OptionSpecification.formatName))
            } else {
                try FetchedColumns(
                    query.columns.columns.map(\.name), of: objects, entity: query.entity, reader, console
                ).write(format)
            }
        }
        return .done
    }
}
