/// The help texts, made from the tables.
enum Help {
    static func printOverview(_ console: Console) {
        guard !console.isJSON else {
            let commands = CommandTable.commands.map { json($0.specification) }
            return console.print(.object(["commands": .array(commands), "version": .string(CommandLineTool.version)]))
        }
        console.print("folio \(CommandLineTool.version): documents with an object graph, in Core Data's own format")
        console.print("")
        console.print("usage: folio COMMAND [ARGUMENT…] [OPTION…]")
        console.print("")
        let width = CommandTable.commands.map { $0.specification.name.count }.max() ?? 0
        for command in CommandTable.commands {
            let specification = command.specification
            console.print("  " + pad(specification.name, to: width) + "  " + specification.summary)
        }
        console.print("")
        console.print("DOC is a package (Name.folio), an archive (Name.folioz) or a bare Core Data store; what it is comes from its content.")
        console.print("MODEL is an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a DOC; MODEL#Name picks a version.")
        console.print("folio help COMMAND says more. Every command that prints has --json.")
        console.print("Exit codes: 0 done, 1 no, 64 usage, 65 malformed, 66 not found, 69 unavailable, 73 can't create, 74 I/O error, 75 locked,")
        console.print("76 newer than this program, 77 permission, 78 other model, 130 interrupted.")
    }

    static func printCommand(_ specification: CommandSpecification, _ console: Console) {
        if console.isJSON { return console.print(json(specification)) }
        console.print("folio \(specification.name): \(specification.summary)")
        console.print("")
        console.print("usage: folio \(specification.name) \(specification.operands)")
        let options = specification.options
        let width = options.map(\.synopsis.count).max() ?? 0
        console.print("")
        for option in options { console.print("  " + pad(option.synopsis, to: width) + "  " + option.summary) }
        if !specification.notes.isEmpty { console.print("\n" + specification.notes) }
        if !specification.examples.isEmpty {
            console.print("\nexamples:")
            for example in specification.examples { console.print("  " + example) }
        }
    }

    private static func json(_ specification: CommandSpecification) -> JSONValue {
        let options = specification.options.map { option in
            JSONValue.object([
                "choices": .strings(option.choices), "isRepeatable": .bool(option.repetition == .allowed), "names": .strings(option.names), "summary": .string(option.summary),
                "value": option.value.map { .string($0) } ?? .null,
            ])
        }
        return .object([
            "examples": .strings(specification.examples), "exclusions": .array(specification.exclusions.map { .strings($0) }),
            "name": .string(specification.name), "notes": .string(specification.notes),
            "options": .array(options), "summary": .string(specification.summary), "usage": .string("folio \(specification.name) \(specification.operands)"),
        ])
    }

    private static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
