import Folio

/// `folio get DOC OBJECT…`
enum GetCommand: Command {
    static let specification = CommandSpecification(
        "get", "prints objects in full", operands: "DOC OBJECT… [--format text|lines|json|jsonl]",
        count: 2...CommandSpecification.anyNumber,
        options: [
            .format("text (default), lines (key: value), json or jsonl", ["text", "lines", "json", "jsonl"]), .model,
        ],
        notes:
            "As JSON one object gives one JSON object, several give an array. NULL is nil, \"\" an empty text; see folio help fetch.",
        examples: ["folio get Doc.folio Book/p1 --json", "folio get Doc.folio Book/p1 --format lines"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        try await DocumentReader.reading(arguments.operands[0], model: arguments.value("--model"), console) { reader in
            let names = arguments.operands.dropFirst()
            // All objects are looked up before any is printed.
            let objects = try names.map {
                try ObjectSelection.object($0, in: reader.context, store: reader.store.identity)
            }
            switch arguments.value(OptionSpecification.formatName) ?? (console.isJSON ? "json" : "text") {
            case "json":
                var writer = JSONWriter(console.output)
                if objects.count > 1 { writer.beginArray() }
                try FetchedObjects(objects, reader, console).write(to: &writer)
                if objects.count > 1 { writer.endArray() }
                console.output.write(0x0A)
            case "text":
                for (index, object) in objects.enumerated() {
                    if index > 0 { console.print("") }
                    try show(object, console)
                }
            case let format: try FetchedObjects(objects, reader, console).write(format)
            }
        }
        return .done
    }

    private static func show(_ object: ManagedObject, _ console: Console) throws {
        console.print(object.objectID.description)
        let properties = object.entity.properties.filter { !$0.isTransient }.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
        let width = properties.map { Printable.width($0.name) }.max() ?? 0
        for property in properties
        where property.attribute.map({ $0.type != .undefined && $0.type != .objectID }) ?? true {
            let value = try object.propertyValue(forKey: property.name)
            let name =
                Printable.line(property.name)
                + String(repeating: " ", count: max(0, width - Printable.width(property.name)))
            switch value {
            case .list(let members) where members.isEmpty: console.print("  \(name)  none")
            case .list(let members):
                for (index, member) in members.enumerated() {
                    console.print(
                        "  " + (index == 0 ? name : String(repeating: " ", count: width)) + "  "
                            + Printable.line(ValueText.cell(member)))
                }
            case let value: console.print("  \(name)  " + Printable.line(ValueText.cell(value)))
            }
        }
    }
}
