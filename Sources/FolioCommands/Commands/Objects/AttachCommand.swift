import Folio
import Foundation

/// `folio attach DOC OBJECT KEY FILE`
enum AttachCommand: Command {
    static let specification = CommandSpecification(
        "attach", "puts a file's bytes into a binary attribute", operands: "DOC OBJECT KEY FILE", count: 4...4,
        [.opens, .writes],
        examples: ["folio attach Doc.folio Person/p1 portrait portrait.jpg"])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let name = arguments.operands[1], key = arguments.operands[2], file = arguments.operands[3]
        try await DocumentEditor.editing(arguments.operands[0], arguments, console) { editor in
            let object = try ObjectSelection.object(name, in: editor.context, store: editor.identity)
            let attribute = try BinaryKey.attribute(key, of: object.entity)
            let input = try InputValue(file, for: attribute)
            let bytes = Int(try input.value.count)
            try object.setPropertyValue(
                attribute.allowsExternalBinaryDataStorage ? .large(input.value) : .data(input.value.data()), forKey: key
            )
            let isSaved = try await editor.commit()
            if console.isJSON {
                console.print(
                    .object([
                        "object": .string(object.objectID.description), "key": .string(key), "bytes": .int(bytes),
                        "dryRun": .bool(!isSaved),
                    ]))
            } else {
                console.say("\(isSaved ? "attached" : "would attach") \(bytes) bytes")
            }
        }
        return .done
    }
}
