import Folio
import Foundation

/// `folio extract DOC OBJECT KEY -o FILE`
enum ExtractCommand: Command {
    static let specification = CommandSpecification(
        "extract", "writes a binary attribute's bytes to a file", operands: "DOC OBJECT KEY -o FILE", count: 3...3,
        options: [
            OptionSpecification(
                OptionSpecification.output.names, value: "FILE", "where the bytes go; - for standard output"), .model,
        ],
        examples: [
            "folio extract Doc.folio Person/p1 portrait -o portrait.jpg",
            "folio extract Doc.folio Person/p1 portrait -o - | file -",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let path = arguments.operands[0], name = arguments.operands[1], key = arguments.operands[2]
        guard let target = arguments.value(OptionSpecification.output.names[0]) else {
            throw CommandError.usage("-o FILE is missing", hint: "-o - writes to standard output")
        }
        try await DocumentReader.reading(path, model: arguments.value("--model"), console) { reader in
            let object = try ObjectSelection.object(name, in: reader.context, store: reader.store.identity)
            _ = try BinaryKey.attribute(key, of: object.entity)
            let value = try value(of: try object.propertyValue(forKey: key), "\(name) \(key)", path: path)
            guard target != "-" else {
                _ = try write(value, to: console.output)
                return
            }
            let file = try OutputFile(
                path: target, of: arguments.sources(of: specification), interruption: console.interruption)
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
    private static func value(of value: PropertyValue, _ name: String, path: String) throws -> LargeValueReader {
        switch value {
        case .data(let bytes): return try LargeValue(bytes).reader()
        case .large(let value):
            do {
                return try value.reader()
            } catch let error as StorageError where error.code == .notFound {
                throw CommandError(
                    .notFound, "missingValue",
                    "the bytes of \(name) are missing: there is no file \(value.fileName ?? "")", path: path)
            }
        default: throw CommandError(.notFound, "noValue", "\(name) has no value", path: path)
        }
    }

    /// Writes the value in pieces; returns its size in bytes.
    private static func write(_ reader: LargeValueReader, to sink: ByteSink) throws -> Int {
        while let piece = try reader.read(upTo: pieceSize) {
            try Task.checkCancellation()
            sink.write(piece)
            try sink.check()
        }
        return Int(reader.count)
    }

    private static let pieceSize = 1 << 20
}
