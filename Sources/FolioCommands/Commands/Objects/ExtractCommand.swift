import Folio
import Foundation

/// `folio extract DOC OBJECT KEY -o FILE`, `folio extract DOC ENTITY.KEY -o FOLDER`
enum ExtractCommand: Command {
    static let specification = CommandSpecification(
        "extract", "writes a binary attribute's bytes to a file, or those of many objects to a folder",
        operands: "DOC (OBJECT KEY -o FILE|ENTITY.KEY -o FOLDER)", count: 2...3,
        options: [
            OptionSpecification(
                OptionSpecification.output.names, value: "FILE",
                "where the bytes go; - for standard output; of an entity the folder, which is made"),
            OptionSpecification(
                ["--name"], value: "KEY", "name the files of an entity by this property or key path"),
            ObjectSelection.whereOption, VariableValues.option, .force, .model,
        ],
        notes: """
            The bytes are those that are stored, also of a transformable attribute. Of an entity, objects without a value are left out. Files are named by --name, else Entity-p1, made safe \
            and unique (a second one of a name gets -2), with an extension by the content where the name has none: jpg, png, gif, pdf and others, or bin. Files that are there are replaced \
            only with --force.
            """,
        examples: [
            "folio extract Doc.folio Person/p1 portrait -o portrait.jpg",
            "folio extract Doc.folio Person/p1 portrait -o - | file -",
            "folio extract Doc.folio Person.portrait -o Portraits --name name --where 'born > 1870-01-01'",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let path = arguments.operands[0], name = arguments.operands[1]
        guard let target = arguments.value(OptionSpecification.output.names[0]) else {
            throw InterchangeError.usage("-o FILE is missing", hint: "-o - writes to standard output")
        }
        guard arguments.operands.count == 3 else {
            return try await FolderExtraction.run(arguments, to: target, console)
        }
        let key = arguments.operands[2]
        for option in ["--name", "--where", "--with", "--force"] where arguments.has(option) {
            throw InterchangeError.usage(
                "\(option) is for all objects of an entity: folio extract DOC ENTITY.KEY -o FOLDER")
        }
        try await DocumentReader.reading(path, model: arguments.value("--model"), console) { reader in
            let object = try ObjectSelection.object(name, in: reader.context, store: reader.store.identity)
            _ = try BinaryKey.attribute(key, of: object.entity, takesTransformables: true)
            let value = try value(of: try object.propertyValue(forKey: key), "\(name) \(key)", path: path)
            guard target != "-" else {
                _ = try write(value, to: console.output)
                return
            }
            let file = try OutputFile(
                path: target, of: arguments.sources(of: specification), registry: console.interruption)
            let count = try write(value, to: file.sink)
            try file.finish()
            console.hasWritten = true
            if console.isJSON {
                console.print(
                    .object([
                        "object": .string(object.objectID.description), "key": .string(key), "bytes": .int(count),
                        "path": .string(target),
                    ]))
            } else {
                console.say("wrote \(count) bytes")
            }
        }
        return .done
    }

    /// Opens the value, so that a missing file is found before anything is written.
    static func value(of value: PropertyValue, _ name: String, path: String) throws -> LargeValueReader {
        switch value {
        case .data(let bytes): return try LargeValue(bytes).reader()
        case .large(let value):
            do {
                return try value.reader()
            } catch let error as StorageError where error.code == .notFound {
                throw InterchangeError(
                    .notFound, "missingValue",
                    "the bytes of \(name) are missing: there is no file \(value.fileName ?? "")", path: path)
            }
        default: throw InterchangeError(.notFound, "noValue", "\(name) has no value", path: path)
        }
    }

    /// Writes the value in pieces; returns its size in bytes.
    static func write(_ reader: LargeValueReader, to sink: ByteSink) throws -> Int {
        while let piece = try reader.read(upTo: pieceSize) {
            try Task.checkCancellation()
            sink.write(piece)
            try sink.check()
        }
        return Int(reader.count)
    }

    private static let pieceSize = 1 << 20
}
