/// Prints the help texts, which are generated from the command table.
enum Help {
    static let introduction = "documents with an object graph, in Core Data's own format"

    /// The conventions of all commands.
    static let conventions = [
        "DOC is a package (Name.folio), an archive (Name.folioz) or a bare Core Data store; what it is comes from its content. Wherever it is read, DOC@n is the state right after its "
            + "n-th save, DOC@saved the last save and DOC@autosaved the work since.",
        "MODEL is an .xcdatamodeld, .xcdatamodel, .momd or .mom, or a DOC; MODEL#Name picks a version.",
        "OBJECT is Entity/p1, or the URI that commands print.",
        "Every command that prints has --json.",
    ]

    /// Help topics that are not commands.
    static let topics = [
        Topic(name: "predicates", summary: "the language of conditions, beside SQL")
    ]

    struct Topic: Sendable {
        let name: String
        let summary: String
    }

    static func printOverview(_ console: Console) {
        guard !console.isJSON else {
            let commands = CommandTable.commands.map { json($0.specification) }
            let topics = topics.map { JSONValue.object(["name": .string($0.name), "summary": .string($0.summary)]) }
            return console.print(
                .object([
                    "commands": .array(commands), "topics": .array(topics), "version": .string(CommandLineTool.version),
                ]))
        }
        let wrapper = TextWrapper(width: TextWrapper.terminalWidth)
        var lines = wrapper.lines("folio \(CommandLineTool.version): \(introduction)")
        lines += [""] + wrapper.lines("folio COMMAND [ARGUMENT…] [OPTION…]", start: "usage: ", indent: 11) + [""]
        lines += definitions(CommandTable.commands.map { ($0.specification.name, $0.specification.summary) }, wrapper)
        lines.append("")
        for sentence in conventions { lines += wrapper.lines(sentence) }
        lines += wrapper.lines(
            "folio help COMMAND says more, and folio help "
                + topics.map { "\($0.name) tells of \($0.summary)" }.joined(separator: ", ") + ".")
        lines += wrapper.lines(
            "Exit codes: " + ExitCode.meanings.map { "\($0.code.rawValue) \($0.short)" }.joined(separator: ", ") + ".")
        lines.forEach(console.print)
    }

    static func printCommand(_ specification: CommandSpecification, _ console: Console) {
        if console.isJSON { return console.print(json(specification)) }
        let wrapper = TextWrapper(width: TextWrapper.terminalWidth)
        var lines = wrapper.lines("folio \(specification.name): \(specification.summary)") + [""]
        let first = "usage: "
        for (index, usage) in specification.usages.enumerated() {
            let start = (index == 0 ? first : String(repeating: " ", count: first.count))
            lines += wrapper.lines(usage, start: start, indent: first.count + 4)
        }
        if !specification.subcommands.isEmpty {
            lines += [""] + definitions(specification.subcommands.map { ($0.name, $0.summary) }, wrapper)
        }
        lines += [""] + definitions(specification.options.map { ($0.synopsis, $0.summary) }, wrapper)
        if !specification.notes.isEmpty { lines += [""] + wrapper.noteLines(specification.notes) }
        if !specification.examples.isEmpty {
            lines += ["", "examples:"]
            for example in specification.examples { lines += wrapper.commandLines(example, start: "  ", indent: 6) }
        }
        lines.forEach(console.print)
    }

    /// Formats terms and their meanings in two columns. The meaning of a wide term begins on the
    /// next line.
    /// - Parameter most: The maximum width of the column of terms; by default a third of the line.
    static func definitions(_ pairs: [(term: String, meaning: String)], _ wrapper: TextWrapper, widest most: Int? = nil)
        -> [String]
    {
        let widest = pairs.map { Printable.width($0.term) }.filter { $0 <= most ?? wrapper.width / 3 }.max() ?? 0
        return pairs.flatMap { term, meaning -> [String] in
            let space = widest - Printable.width(term)
            let start = "  " + term + String(repeating: " ", count: max(0, space)) + "  "
            guard space >= 0 else {
                return ["  " + term]
                    + wrapper.lines(meaning, start: String(repeating: " ", count: widest + 4), indent: widest + 4)
            }
            return wrapper.lines(meaning, start: start, indent: widest + 4)
        }
    }

    private static func json(_ specification: CommandSpecification) -> JSONValue {
        let options = specification.options.map { option in
            JSONValue.object([
                "choices": .strings(option.choices), "isRepeatable": .bool(option.repetition == .allowed),
                "names": .strings(option.names), "summary": .string(option.summary),
                "value": option.value.map { .string($0) } ?? .null,
            ])
        }
        let subcommands = specification.subcommands.map { subcommand in
            JSONValue.object([
                "name": .string(subcommand.name), "summary": .string(subcommand.summary),
                "usage": .string("folio \(specification.name) \(subcommand.name) \(subcommand.operands)"),
            ])
        }
        return .object([
            "examples": .strings(specification.examples),
            "exclusions": .array(specification.exclusions.map { .strings($0) }),
            "name": .string(specification.name), "notes": .string(specification.notes),
            "options": .array(options), "subcommands": .array(subcommands), "summary": .string(specification.summary),
            "usage": .string("folio \(specification.name) \(specification.operands)"),
        ])
    }
}
