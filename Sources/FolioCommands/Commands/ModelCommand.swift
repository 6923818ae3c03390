import Folio
import Foundation
import ModelCodegen

/// `folio model MODEL`, `folio model hash MODEL`, `folio model diff MODEL MODEL`
enum ModelCommand: Command {
    static let specification = CommandSpecification(
        "model", "shows, compares or converts models, or prints their version hashes",
        operands: "[hash|diff MODEL] MODEL [--format text|json|xcdatamodel|dot|sql|swift]", count: 1...3,
        options: [
            .format(
                "text (default), json, xcdatamodel (its XML), dot (for Graphviz), sql (the tables of a store) or swift (see codegen)",
                ["text", "json", "xcdatamodel", "dot", "sql", "swift"]),
            .output,
        ],
        notes: "folio model hash prints the version hash of each entity, the digest and the checksum that stores of the model record.\n"
            + "folio model diff shows what the second model changes and whether stores of the first can be migrated by inference; exit code 1 where they can't.",
        examples: [
            "folio model Shop.xcdatamodeld", "folio model 'Shop.xcdatamodeld#Shop 2' --format dot | dot -Tsvg > shop.svg",
            "folio model hash Doc.folio --json", "folio model diff 'Shop.xcdatamodeld#Shop' 'Shop.xcdatamodeld#Shop 2'",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let operands = arguments.operands
        if (operands[0] == "diff" && operands.count > 1) || (operands[0] == "hash" && operands.count == 2) {
            for option in ["--format", OptionSpecification.output.names[0]] where arguments.has(option) {
                throw CommandError.usage("\(option) does not go with model \(operands[0])", hint: "--json gives JSON")
            }
        }
        switch (operands[0], operands.count) {
        case ("diff", 3):
            let old = try await ModelArgument.load(operands[1], console).model
            let difference = ModelDifference(from: old, to: try await ModelArgument.load(operands[2], console).model)
            if console.isJSON { console.print(ModelDifferencePrinter.json(difference)) } else { ModelDifferencePrinter.write(difference, to: console) }
            return difference.isInferable ? .done : .no
        case ("diff", 2): throw CommandError.usage("two models are needed", hint: "usage: folio model diff MODEL MODEL")
        case ("hash", 2):
            try printHashes(of: try await ModelArgument.load(operands[1], console).model, console)
        case (_, 1):
            let loaded = try await ModelArgument.load(operands[0], console)
            let sink = ByteSink(descriptor: nil)
            switch arguments.value("--format") ?? (console.isJSON ? "json" : "text") {
            case "json": ModelJSON.write(loaded, to: sink)
            case "xcdatamodel": sink.write(try ModelContents.encode(loaded.model))
            case "dot": ModelDot.write(loaded, to: sink)
            case "sql": for statement in try SQLitePersistentStore.creationStatements(for: loaded.model) { sink.write(statement + ";\n") }
            case "swift":
                let files = try CodegenCommand.files(of: loaded, CodeGenerator())
                sink.write(files.map { "// \($0.name)\n\n\($0.text)" }.joined(separator: "\n"))
            default: ModelText.write(loaded, to: sink)
            }
            try console.deliver(sink, of: arguments.operands[0], to: arguments.value("--output"))
        default: throw CommandError.usage("too many arguments", hint: specification.usage)
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
            console.print(Printable.line(name) + String(repeating: " ", count: max(0, width - Printable.width(name))) + "  " + hash)
        }
        console.print("digest    \(model.versionHashesDigest)")
        console.print("checksum  \(model.versionChecksum)")
    }
}
