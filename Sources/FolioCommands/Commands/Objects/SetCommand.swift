import Folio

/// `folio set DOC (OBJECT…|ENTITY --where P) key=value…`
enum SetCommand: Command {
    static let specification = CommandSpecification(
        "set", "changes objects", operands: "DOC (OBJECT…|ENTITY --where PREDICATE) KEY=VALUE…",
        count: 3...CommandSpecification.anyNumber,
        [.opens, .writes], options: [ObjectSelection.whereOption, VariableValues.option],
        notes: """
            Values are written as for insert. key:=EXPRESSION, where EXPRESSION is no JSON, is computed for each object from its values before the command, by the functions of \
            predicates: 'startDate:=startDate + 3600' (seconds), 'title:=uppercase(title) + " (old)"', 'total:=lines.@sum.price', 'owner:=folder.owner'. Variables are given by --with. \
            All values are computed and checked before anything is changed, and all of it is one save.
            """,
        examples: [
            "folio set Doc.folio Book/p1 title='Dune Messiah' tags-=Tag/p2",
            "folio set Doc.folio Book --where 'year < 1900' isClassic=true",
            "folio set Doc.folio Event --where 'day >= $DAY' 'start:=start + $SHIFT' --with DAY=2024-03-31 --with SHIFT=3600",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let words = arguments.operands.dropFirst()
        let names = Array(words.prefix { !$0.contains("=") })
        let assignments = try Assignment.list(words.dropFirst(names.count))
        guard !names.isEmpty, !assignments.isEmpty else {
            throw InterchangeError.usage("objects and values are both needed", hint: specification.usage)
        }
        try await DocumentEditor.editing(arguments.operands[0], arguments, console) { editor in
            let model = editor.document.model
            SQLHabits.noteYears(arguments, of: model.entity(named: names[0]), in: model, console)
            let values = try VariableValues(arguments), conditions = arguments.all("--where")
            let expressions = assignments.compactMap { ComputedEdit.text(of: $0) }
            try values.checkUse(
                ObjectSelection.variables(conditions)
                    + expressions.flatMap { (try? QueryExpression(format: $0)).map(VariableValues.variables) ?? [] })
            let objects = try ObjectSelection.objects(
                names, where: conditions, with: values, in: editor.context, store: editor.identity)
            if objects.isEmpty { try check(assignments, names[0], values, editor) }
            try apply(assignments, values, to: objects, editor, console)
            let ids = objects.map(\.objectID.description)
            let isSaved = try await editor.commit()
            EditReport.print(isSaved ? "changed" : "would change", ids, isDryRun: !isSaved, console)
        }
        return .done
    }

    /// The changes of the objects of one entity.
    private struct Edits {
        var constant: [Edit] = []
        var computed: [ComputedEdit] = []

        init(
            _ assignments: [Assignment], _ values: VariableValues, _ entity: EntityDescription, _ store: StoreIdentity
        ) throws {
            for assignment in assignments {
                if let text = ComputedEdit.text(of: assignment) {
                    computed.append(try ComputedEdit(assignment, text, entity, values, store))
                } else {
                    constant.append(try Edit(assignment, entity: entity, store: store))
                }
            }
        }
    }

    /// The number of objects with values that a property does not take, that are reported.
    private static let mostFailures = 20

    /// Computes all values, then sets them.
    /// - Throws: A usage error that names the objects with values that a property does not take.
    private static func apply(
        _ assignments: [Assignment], _ values: VariableValues, to objects: [ManagedObject], _ editor: DocumentEditor,
        _ console: Console
    ) throws {
        var known: [String: Edits] = [:], all: [[Edit]] = [], failures: [InterchangeError] = []
        for object in objects {
            try console.interruption.check()
            let name = object.entity.name
            let edits = try known[name] ?? Edits(assignments, values, object.entity, editor.identity)
            known[name] = edits
            var computed: [Edit] = []
            for edit in edits.computed {
                do { computed.append(try edit.edit(of: object)) } catch {
                    var failure = InterchangeError(mapping: error)
                    failure.message = "\(name)/p\(object.objectID.key): \(failure.message)"
                    failures.append(failure)
                }
            }
            if failures.count >= mostFailures { break }
            all.append(computed)
        }
        if var first = failures.first {
            first.excerpt = failures.dropFirst().map { Printable.line($0.message) }
            first.exit = .usage
            throw first
        }
        for (object, computed) in zip(objects, all) {
            try console.interruption.check()
            for edit in (known[object.entity.name]?.constant ?? []) + computed { try edit.apply(to: object) }
        }
    }

    /// A mistyped key is an error even if the condition matches no objects.
    private static func check(
        _ assignments: [Assignment], _ entityName: String, _ values: VariableValues, _ editor: DocumentEditor
    ) throws {
        let model = editor.document.model, entity = try EntityLookup.entity(named: entityName, in: model)
        for assignment in assignments
        where !model.entities[entity.family].contains(where: { $0.property(named: assignment.key) != nil }) {
            throw EntityLookup.unknownKey(assignment.key, of: entity)
        }
        for assignment in assignments where entity.property(named: assignment.key) != nil {
            guard let text = ComputedEdit.text(of: assignment) else { continue }
            _ = try ComputedEdit(assignment, text, entity, values, editor.identity)
        }
    }
}
