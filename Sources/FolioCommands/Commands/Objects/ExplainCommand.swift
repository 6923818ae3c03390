import Folio

/// `folio explain DOC ENTITY --where PREDICATE`
enum ExplainCommand: Command {
    static let specification = CommandSpecification(
        "explain", "shows the SQL of a fetch, its arguments and SQLite's plan",
        operands: "DOC ENTITY [--where PREDICATE] [--sort k,-k] [--limit n] …", count: 1...2,
        .opens, options: FetchQuery.options,
        notes: FetchQuery.notes
            + " What SQL can't say is run in memory on what it can, and stands at the end of the plan.")

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let window = try FetchQuery.Window(arguments)
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            let query = try FetchQuery(arguments, window, in: reader.store.identity)
            SQLHabits.noteYears(arguments, of: query.entity, in: reader.model, console)
            let explanation = try query.explanation(in: reader.store)
            if console.isJSON {
                console.print(
                    .object([
                        "statement": .string(explanation.statement), "arguments": .strings(explanation.arguments),
                        "plan": .strings(explanation.plan),
                    ]))
                return
            }
            console.print(Printable.line(explanation.statement))
            for (index, argument) in explanation.arguments.enumerated() {
                console.print("  ?\(index + 1) = \(Printable.line(argument))")
            }
            for line in explanation.plan { console.print("plan: \(Printable.line(line))") }
        }
        return .done
    }
}
