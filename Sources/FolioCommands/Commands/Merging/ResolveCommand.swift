import Folio

/// `folio resolve DOC OBJECT[.PROPERTY] --ours|--theirs|VALUE`
enum ResolveCommand: Command {
    static let specification = CommandSpecification(
        "resolve", "decides conflicts that merges left", operands: "DOC (CONFLICT [VALUE]|--all) [--ours|--theirs]",
        count: 1...3, [.opens, .writes],
        options: [
            OptionSpecification(["--ours"], "what the document has stands"),
            OptionSpecification(["--theirs"], "take what the other document had"),
            OptionSpecification(["--all"], "decide all conflicts"),
        ],
        exclusions: [["--ours", "--theirs"]], takesEmptyOperandAt: 2,
        notes: """
            CONFLICT is called as folio conflicts prints it: Book/p7.title, or Book/p7 for an object that one side deleted. VALUE is written as for set, without the key and its =: an empty one is an empty text or no value, and :=JSON is JSON.
            """,
        examples: [
            "folio resolve Notes.folioz Note/p3.title --theirs", "folio resolve Notes.folioz Note/p3.title 'Both'",
            "folio resolve Notes.folioz --all --ours",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let operands = arguments.operands
        let side: DocumentMerge.Choice? = arguments.has("--ours") ? .ours : arguments.has("--theirs") ? .theirs : nil
        guard arguments.has("--all") ? operands.count == 1 && side != nil : operands.count == (side == nil ? 3 : 2)
        else {
            throw InterchangeError.usage("say which conflict, and how it is decided", hint: specification.usage)
        }
        return try await DocumentEditor.editing(operands[0], arguments, console) { editor in
            let known = try await editor.document.undecidedConflicts()
            let decided =
                arguments.has("--all")
                ? known : [try .named(operands[1], among: known, hint: "folio conflicts lists them")]
            let names = decided.map(\.name)
            var decisions: [String: DocumentMerge.Choice] = [:]
            for conflict in decided {
                decisions[conflict.name] = try side ?? .value(value(operands[2], conflict, editor.document.model))
            }
            try await editor.document.settleConflicts(decisions)
            let isSaved = try await editor.commit()
            let left = known.count - names.count
            if console.isJSON {
                console.print(
                    .object(["dryRun": .bool(!isSaved), "left": .int(left), "resolved": .strings(names)]))
            } else {
                console.say(
                    "\(isSaved ? "decided" : "would decide") \(names.count) conflict\(names.count == 1 ? "" : "s"), \(left) left"
                )
            }
            return .done
        }
    }

    private static func value(_ text: String, _ conflict: DocumentMerge.Conflict, _ model: ManagedObjectModel) throws
        -> PropertyValue
    {
        guard let property = conflict.property else {
            throw InterchangeError.usage("\(conflict.name) is an object as a whole: decide it by --ours or --theirs")
        }
        let attribute = try DecisionsFile.attribute(property, of: conflict.object, model)
        let assignment = try Assignment(
            property + (text.hasPrefix(Assignment.Operation.json.rawValue) ? "" : "=") + text)
        return try Edit.value(assignment, for: attribute, in: model)
    }
}
