import Folio

/// `folio insert DOC ENTITY key=value…`
enum InsertCommand: Command {
    static let specification = CommandSpecification(
        "insert", "makes a new object and prints its URI", operands: "DOC ENTITY [KEY=VALUE…]",
        count: 2...CommandSpecification.anyNumber,
        [.opens, .writes],
        notes: """
            key=value sets an attribute; key= sets it to nil (a String to an empty one); key:=JSON takes null, numbers, strings and objects as export
            writes them; key=@FILE takes a file's bytes for a binary attribute. relationship=Entity/p1 sets a relationship, to-many ones with commas
            between several; relationship+=Entity/p1 adds and relationship-=Entity/p1 removes.
            """,
        examples: [
            "folio insert Doc.folio Book title=Dune published=1965-08-01 author=Author/p1 tags+=Tag/p2 cover=@dune.jpg"
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let assignments = try Assignment.list(arguments.operands.dropFirst(2))
        try await DocumentEditor.editing(arguments.operands[0], arguments, console) { editor in
            let entity = try EntityLookup.entity(named: arguments.operands[1], in: editor.document.model)
            let edits = try assignments.map { try Edit($0, entity: entity, store: editor.identity) }
            let object = try editor.context.insert(entity)
            for edit in edits { try edit.apply(to: object) }
            guard try await editor.commit() else {
                if console.isJSON { console.print(.object(["dryRun": .bool(true), "id": .null])) }
                console.say("would insert an object of \(Printable.line(entity.name))")
                return
            }
            let uri = object.objectID.description
            if console.isJSON {
                console.print(.object(["dryRun": .bool(false), "id": .string(uri)]))
            } else {
                console.print(uri)
            }
        }
        return .done
    }
}
