import Folio
import RowMemory

/// `folio fetch DOC ENTITY`
enum FetchCommand: Command {
    static let specification = CommandSpecification(
        "fetch", "prints the objects of an entity that fit a condition", operands: "DOC ENTITY [--where PREDICATE] [--sort k,-k] [--limit n] …", count: 2...2,
        options: [
            ObjectSelection.whereOption,
            OptionSpecification(["--sort"], value: "KEYS", "the order: keys between commas, - before one for descending"),
            OptionSpecification(["--limit"], value: "N", "at most N objects"),
            OptionSpecification(["--offset"], value: "N", "leave out the first N"),
            OptionSpecification(["--columns"], value: "KEYS", "only these keys, or key paths such as author.name"),
            OptionSpecification(["--count"], "only how many there are"),
            OptionSpecification(["--format"], value: "FORMAT", "table (default), json, jsonl or csv"),
            .model,
            OptionSpecification(["--distinct"], "each row once", isLater: true),
            OptionSpecification(["--group-by"], value: "KEY", "one row for each value", isLater: true),
            OptionSpecification(["--having"], value: "PREDICATE", "a condition on groups", isLater: true),
        ],
        notes: "Objects of sub-entities take part.",
        examples: [
            "folio fetch Doc.folio Book --where 'title CONTAINS[cd] \"dune\" AND ANY tags.name == \"sf\"' --sort author.name,-year",
            "folio fetch Doc.folio Book --columns title,author.name --format csv",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let format = try arguments.choice("--format", among: ["table", "json", "jsonl", "csv"], default: console.isJSON ? "json" : "table")
        let limit = try arguments.count("--limit")
        let offset = try arguments.count("--offset") ?? 0
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            var request = try ObjectSelection.request(arguments.operands[1], where: arguments.value("--where"), in: reader.store.identity)
            let entity = try EntityLookup.entity(named: request.entityName, in: reader.model)
            let columns = arguments.list("--columns")
            for column in columns { _ = try EntityLookup.property(atKeyPath: column, of: entity, in: reader.model) }
            if let keys = arguments.value("--sort") { request.sortKeys = try sortKeys(keys, entity, reader.model) }
            request.fetchOffset = offset
            request.fetchLimit = limit ?? 0
            let isEmpty = limit == 0
            if arguments.has("--count") {
                let count = isEmpty ? 0 : try reader.context.count(for: request)
                if console.isJSON { console.print(.object(["count": .int(count)])) } else { console.print(String(count)) }
                return
            }
            let objects = isEmpty ? [] : try reader.context.fetch(request)
            if columns.isEmpty {
                try FetchedObjects(objects, entity: entity, reader, console).write(format)
            } else {
                try FetchedColumns(columns, of: objects, entity: entity, reader, console).write(format)
            }
        }
        return .done
    }

    private static func sortKeys(_ text: String, _ entity: Entity, _ model: ManagedObjectModel) throws -> [SortKey] {
        try SortKey.list(text).map { try $0.validated(against: entity, in: model) }
    }
}
