import Folio

/// `folio delete DOC (OBJECT…|ENTITY --where P)`
enum DeleteCommand: Command {
    static let specification = CommandSpecification(
        "delete", "deletes objects, as their relationships' delete rules say",
        operands: "DOC (OBJECT…|ENTITY --where PREDICATE)",
        count: 2...CommandSpecification.anyNumber, [.opens, .writes],
        options: [ObjectSelection.whereOption, VariableValues.option],
        examples: ["folio delete Doc.folio Book/p1 Book/p2", "folio delete Doc.folio Book --where 'author == nil'"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        try await DocumentEditor.editing(arguments.operands[0], arguments, console) { editor in
            let model = editor.document.model
            SQLHabits.noteYears(arguments, of: model.entity(named: arguments.operands[1]), in: model, console)
            let values = try VariableValues(arguments), conditions = arguments.all("--where")
            try values.checkUse(ObjectSelection.variables(conditions))
            let objects = try ObjectSelection.objects(
                Array(arguments.operands.dropFirst()), where: conditions, with: values, in: editor.context,
                store: editor.identity)
            for object in objects { editor.context.delete(object) }
            editor.context.processPendingChanges()
            // Includes the objects that are deleted by delete rules.
            let ids = editor.context.deletedObjects.map(\.objectID).sorted {
                ($0.entity.name, $0.key) < ($1.entity.name, $1.key)
            }.map(\.description)
            let isSaved = try await editor.commit()
            EditReport.print(isSaved ? "deleted" : "would delete", ids, isDryRun: !isSaved, console)
        }
        return .done
    }
}
