import Folio

/// The entities of a document with the number of their objects: `folio fetch DOC`.
enum EntityList {
    static func run(_ arguments: ParsedArguments, _ format: String, _ console: Console) async throws -> ExitCode {
        let kept = OptionSpecification.flags + [OptionSpecification.formatName, "--model", "--output"]
        let query = FetchCommand.specification.options.flatMap(\.names).first {
            $0.hasPrefix("--") && !kept.contains($0) && arguments.has($0)
        }
        if let query {
            throw InterchangeError.usage(
                "which entity? \(query) needs one, or a fetch request of the model with --template",
                hint: "folio fetch \(ShellWord.quoted(arguments.operands[0])) lists the entities")
        }
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            let entities = try reader.model.entities.sorted { $0.name < $1.name }.map { entity in
                (
                    name: entity.name,
                    count: try reader.context.count(for: FetchRequest<ManagedObject>(entityName: entity.name))
                )
            }
            try RecordWriter(names: ["entity", "count"], alignsRight: [false, true], console: console).write(
                entities, format, id: nil
            ) { [.string($0.name), .int(Int64($0.count))] }
        }
        return .done
    }
}
