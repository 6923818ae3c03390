import Folio

/// `folio set DOC (OBJECT…|ENTITY --where P) key=value…`
enum SetCommand: Command {
    static let specification = CommandSpecification(
        "set", "changes objects", operands: "DOC (OBJECT…|ENTITY --where PREDICATE) KEY=VALUE…",
        count: 3...CommandSpecification.anyNumber,
        [.opens, .writes], options: [ObjectSelection.whereOption], notes: "Values are written as for insert.",
        examples: [
            "folio set Doc.folio Book/p1 title='Dune Messiah' tags-=Tag/p2",
            "folio set Doc.folio Book --where 'year < 1900' isClassic=true",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let words = arguments.operands.dropFirst()
        let names = Array(words.prefix { !$0.contains("=") })
        let assignments = try Assignment.list(words.dropFirst(names.count))
        guard !names.isEmpty, !assignments.isEmpty else {
            throw CommandError.usage("objects and values are both needed", hint: specification.usage)
        }
        try await DocumentEditor.editing(arguments.operands[0], arguments, console) { editor in
            let model = editor.document.model
            SQLHabits.noteYears(arguments, of: model.entity(named: names[0]), in: model, console)
            let objects = try ObjectSelection.objects(
                names, where: arguments.all("--where"), in: editor.context, store: editor.identity)
            if objects.isEmpty { try check(assignments, names[0], editor) }
            var edits: [String: [Edit]] = [:]
            for object in objects {
                try console.interruption.check()
                let name = object.entity.name
                let applied =
                    try edits[name] ?? assignments.map { try Edit($0, entity: object.entity, store: editor.identity) }
                edits[name] = applied
                for edit in applied { try edit.apply(to: object) }
            }
            let ids = objects.map(\.objectID.description)
            let isSaved = try await editor.commit()
            EditReport.print(isSaved ? "changed" : "would change", ids, isDryRun: !isSaved, console)
        }
        return .done
    }

    /// A mistyped key is an error even if the condition matches no objects.
    private static func check(_ assignments: [Assignment], _ entityName: String, _ editor: DocumentEditor) throws {
        let model = editor.document.model, entity = try EntityLookup.entity(named: entityName, in: model)
        for assignment in assignments
        where !model.entities[entity.family].contains(where: { $0.property(named: assignment.key) != nil }) {
            throw EntityLookup.unknownKey(assignment.key, of: entity)
        }
    }
}
