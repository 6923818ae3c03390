import Folio

/// `folio import DOC FILE…`
enum ImportCommand: Command {
    static let specification = CommandSpecification(
        "import", "adds the objects of JSON, JSON lines or CSV files, or updates those that are there",
        operands: "DOC FILE… [--entity E] [--match KEYS]",
        count: 2...CommandSpecification.anyNumber,
        options: [
            OptionSpecification(["--entity"], value: "E", "the entity of the objects, where the file does not say it"),
            OptionSpecification(
                ["--match"], value: "KEYS",
                "update the object that has the same values of these attributes (a,b or Entity.a), or that id names, and make one only where there is none",
                repetition: .allowed),
            OptionSpecification(["--as-new"], "make new objects of rows whose id names an object of the document"),
            OptionSpecification(
                ["--create-missing"], "make objects that relationship.attribute columns name and that are not there"),
            OptionSpecification(
                ["--delimiter"], value: "CHARACTER",
                "what separates the fields of CSV: , ; tab or |; else the header says it"), .model, .dryRun,
        ],
        notes: """
            FILE is what export writes, in any of its formats (told apart by content), or flat objects; - is standard input. The entity of objects that don't say theirs is that of
            --entity, of Entity=FILE, or the one that the file is named after. Into an empty document objects keep their numbers; into another they get new ones, and --json prints
            which, by name and by line.

            A relationship is set by URIs or Entity/p1 (several separated by spaces or commas), of objects of the files or of the document, or by a column relationship.attribute
            that says which attribute has the value (author.name; author.first and author.last together; several objects of a to-many separated by commas). Files may come in any
            order. An empty field is nil; a field \"\" is an empty string. A mandatory property without a column is an error before anything is read.

            A row whose id (or SELF) is the URI of an object of this document, as in an export of it, updates that object; if the object is gone, the row is an error. Rows without an id make \
            new objects, and rows that are missing delete nothing. --match id takes Entity/p1 for the URI, too. --as-new makes a copy of every row.

            Where an object is updated, only the columns that are there change. With --match, of rows with the same keys the last one wins, and a row with a nil key makes a new object. \
            A link that a row says as it was before is no edit, where the row of the other end says it anew.

            All of it is one save, or nothing. The memory it takes does not grow with the files, but for XML and binary stores, which are in memory as a whole, for --dry-run and for
            --json, which prints an object for every row.
            """,
        examples: [
            "folio export Old.folio | folio import New.folio -", "folio import Library.folio Author.csv Book.csv",
            "folio import Library.folio Book=new.csv --match isbn",
            "folio export Library.folio --entity Book --format csv -o Book.csv; folio import Library.folio Book.csv",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        try check(arguments)
        var files = try arguments.operands.dropFirst().map {
            try ImportFile($0, entityName: arguments.value("--entity"))
        }
        try await DocumentEditor.editing(arguments.operands[0], arguments, console) { editor in
            let settings = try ImportSettings(options(arguments), editor.context.model)
            for index in files.indices { try files[index].settleEntity(in: editor.context.model) }
            let progress = Progress(total: 0, of: "objects", console)
            defer { progress.finish() }
            var importer = try DocumentImporter(
                editor.document, files, settings, takesPieces: editor.takesPieces, keepsMade: console.isJSON
            ) { progress.show($0) }
            let isSaved: Bool
            do {
                try importer.run()
                isSaved = try await editor.commit()
            } catch {
                editor.abandonPieces()
                throw error
            }
            ImportReport(outcome: importer.outcome, files: files, isSaved: isSaved, console: console).print()
        }
        return .done
    }

    private static func options(_ arguments: ParsedArguments) throws -> ImportOptions {
        var options = ImportOptions(entity: arguments.value("--entity"))
        options.match = arguments.all("--match")
        options.createsMissing = arguments.has("--create-missing")
        options.importsAsNew = arguments.has("--as-new")
        options.delimiter = try arguments.value("--delimiter").map { text in
            let known = ImportOptions.Delimiter.allCases
            if let found = known.first(where: { $0.rawValue == text.lowercased() || text == "\t" && $0 == .tab }) {
                return found
            }
            throw InterchangeError.usage(
                "--delimiter does not take \(text)",
                hint: "one of " + known.map { "'\($0.rawValue)'" }.joined(separator: ", "))
        }
        return options
    }

    /// - Throws: A usage error for an option that contradicts every file.
    private static func check(_ arguments: ParsedArguments) throws {
        let operands = arguments.operands.dropFirst()
        guard arguments.has("--entity"), let named = operands.first,
            operands.allSatisfy({ ImportFile.parts(of: $0) != nil })
        else { return }
        throw InterchangeError.usage(
            "--entity is for files that don't say their entity, and \(named) says it", hint: "leave one of them out")
    }
}
