import Folio
import Foundation
import ModelCodegen

/// `folio model MODEL`, `folio model hash MODEL`, `folio model diff MODEL MODEL`
enum ModelCommand: Command {
    static let specification = CommandSpecification(
        "model", "shows, compares or converts models, or prints their version hashes",
        operands: "MODEL [--format text|json|xcdatamodel|dot|sql|swift]", count: 1...1,
        options: [
            .format(
                "text (default), json, xcdatamodel (its XML), dot (for Graphviz), sql (the tables of a store) or swift (see codegen)",
                ["text", "json", "xcdatamodel", "dot", "sql", "swift"])
        ],
        subcommands: [
            Subcommand(
                "hash", "the version hash of each entity, the digest and the checksum that stores of the model record",
                operands: "MODEL", count: 1...1),
            Subcommand(
                "diff",
                "what the second model changes, and whether stores of the first can be migrated by inference; exit code 1 where they can't",
                operands: "MODEL MODEL", count: 2...2),
        ],
        examples: [
            "folio model Shop.xcdatamodeld",
            "folio model 'Shop.xcdatamodeld#Shop 2' --format dot | dot -Tsvg > shop.svg",
            "folio model hash Doc.folio --json", "folio model diff 'Shop.xcdatamodeld#Shop' 'Shop.xcdatamodeld#Shop 2'",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let operands = arguments.operands, subcommand = try arguments.subcommand(of: specification)?.name
        if let subcommand {
            if arguments.has(OptionSpecification.formatName) {
                throw InterchangeError.usage(
                    "\(OptionSpecification.formatName) does not go with model \(subcommand)", hint: "--json gives JSON")
            }
        }
        switch subcommand {
        case "diff":
            let old = try await ModelArgument.load(operands[1], console).model
            let difference = ModelDifference(from: old, to: try await ModelArgument.load(operands[2], console).model)
            if console.isJSON {
                console.print(ModelDifferencePrinter.json(difference))
            } else {
                ModelDifferencePrinter.write(difference, to: console)
            }
            return difference.isInferable ? .done : .no
        case "hash": try printHashes(of: try await ModelArgument.load(operands[1], console).model, console)
        default:
            let loaded = try await ModelArgument.load(operands[0], console)
            let sink = console.output
            switch arguments.value("--format") ?? (console.isJSON ? "json" : "text") {
            case "json": ModelJSON.write(loaded, to: sink)
            case "xcdatamodel": sink.write(try ModelContents.encode(loaded.model))
            case "dot": ModelDot.write(loaded, to: sink)
            case "sql":
                for statement in try SQLitePersistentStore.creationStatements(for: loaded.model) {
                    sink.write(statement + ";\n")
                }
            case "swift":
                let files = try CodegenCommand.files(of: loaded, CodeGenerator())
                sink.write(files.map { "// \($0.name)\n\n\($0.text)" }.joined(separator: "\n"))
            default: ModelText.write(loaded, to: sink)
            }
        }
        return .done
    }

    private static func printHashes(of model: ManagedObjectModel, _ console: Console) throws {
        let hashes = model.versionHashesByEntityName.mapValues(\.hexadecimal)
        if console.isJSON {
            console.print(
                .object([
                    "entities": .object(hashes.mapValues { .string($0) }), "digest": .string(model.versionHashesDigest),
                    "checksum": .string(model.versionChecksum),
                ]))
            return
        }
        let width = hashes.keys.map(Printable.width).max() ?? 0
        for (name, hash) in hashes.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            console.print(
                Printable.line(name) + String(repeating: " ", count: max(0, width - Printable.width(name))) + "  "
                    + hash)
        }
        console.print("digest    \(model.versionHashesDigest)")
        console.print("checksum  \(model.versionChecksum)")
    }
}
