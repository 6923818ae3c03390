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
                "update the object that has the same values of these attributes (a,b or Entity.a), and make one only where there is none",
                repetition: .allowed),
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
            order. Text that is nothing is nil, two quotes are an empty text.

            With --match only the columns that are there change. Of rows with the same keys the last one wins, and a row with a nil key makes a new object.

            All of it is one save, or nothing. The memory it takes does not grow with the files, but for XML and binary stores, which are in memory as a whole, for --dry-run and for
            --json, which prints an object for every row.
            """,
        examples: [
            "folio export Old.folio | folio import New.folio -", "folio import Library.folio Author.csv Book.csv",
            "folio import Library.folio Book=new.csv --match isbn",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        try check(arguments)
        var files = try arguments.operands.dropFirst().map {
            try ImportFile($0, entityName: arguments.value("--entity"))
        }
        try await DocumentEditor.editing(arguments.operands[0], arguments, console) { editor in
            let settings = try ImportSettings(arguments, editor.context.model)
            for index in files.indices { try files[index].settleEntity(in: editor.context.model) }
            var importer = try DocumentImporter(editor, files, settings, keepsMade: console.isJSON, console)
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

    /// - Throws: A usage error for an option that contradicts every file.
    private static func check(_ arguments: ParsedArguments) throws {
        let operands = arguments.operands.dropFirst()
        guard arguments.has("--entity"), let named = operands.first,
            operands.allSatisfy({ ImportFile.parts(of: $0) != nil })
        else { return }
        throw CommandError.usage(
            "--entity is for files that don't say their entity, and \(named) says it", hint: "leave one of them out")
    }
}
