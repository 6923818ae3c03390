import Folio

/// `folio explain DOC ENTITY --where PREDICATE`
enum ExplainCommand: Command {
    static let specification = CommandSpecification(
        "explain", "shows the SQL of a fetch, its arguments and SQLite's plan", operands: "DOC ENTITY [--where PREDICATE] [--sort k,-k] [--limit n]", count: 2...2,
        options: [
            ObjectSelection.whereOption,
            OptionSpecification(["--sort"], value: "KEYS", "the order: keys between commas, - before one for descending"),
            OptionSpecification(["--limit"], value: "N", "at most N objects"),
            OptionSpecification(["--offset"], value: "N", "leave out the first N"),
            .model,
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            let request = try ObjectSelection.request(arguments.operands[1], where: arguments.value("--where"), in: reader.store.identity)
            let entity = try EntityLookup.entity(named: request.entityName, in: reader.model)
            let sortKeys = try arguments.value("--sort").map { try SortKey.list($0).map { try $0.validated(against: entity, in: reader.model) } } ?? []
            let explanation = try reader.store.explanation(
                of: RowRequest(
                    entityIndex: entity.index, selection: .matching(request.predicate), sortKeys: sortKeys, offset: try arguments.count("--offset") ?? 0,
                    limit: try arguments.count("--limit")))
            if console.isJSON {
                console.print(
                    .object([
                        "statement": .string(explanation.statement), "arguments": .strings(explanation.arguments), "plan": .strings(explanation.plan),
                    ]))
                return
            }
            console.print(Printable.line(explanation.statement))
            for (index, argument) in explanation.arguments.enumerated() { console.print("  ?\(index + 1) = \(Printable.line(argument))") }
            for line in explanation.plan { console.print("plan: \(Printable.line(line))") }
        }
        return .done
    }
}
