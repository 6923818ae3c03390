import Folio
import Foundation
import ModelCodegen

/// `folio codegen MODEL -o DIR`
enum CodegenCommand: Command {
    static let specification = CommandSpecification(
        "codegen", "writes Swift classes for the model's entities",
        operands: "MODEL -o DIR [--for folio|coredata] [--access public|package|internal] [--codable]", count: 1...1,
        options: [
            OptionSpecification(
                OptionSpecification.output.names, value: "DIR",
                "the folder that the files go to; it is made where there is none"),
            OptionSpecification(
                ["--for"], value: "MODULE", "folio (default) or coredata: the module that the classes import",
                choices: CodeGenerator.Framework.allCases.map(\.rawValue)),
            OptionSpecification(
                ["--access"], value: "LEVEL", "public (default), package or internal",
                choices: CodeGenerator.AccessLevel.allCases.map(\.rawValue)),
            OptionSpecification(
                ["--codable"], "classes can be encoded and decoded, each object as the graph that it leads to"),
            .dryRun,
        ],
        notes:
            "Every entity that names a class gets Name+Class.swift, which is yours to fill and is never written over, and Name+Properties.swift, which is\n"
            + "written anew; MODELModel.swift carries the model and lists the classes. Files whose text would be the same are left alone.\n\n"
            + "Classes for coredata are those that Xcode generates, with the same names of files: Name+CoreDataClass.swift and Name+CoreDataProperties.swift, with fetchRequest(),\n"
            + "the properties, and the accessors of to-many relationships. There is no file for the model.",
        examples: [
            "folio codegen Shop.xcdatamodeld -o Sources/Shop",
            "folio codegen 'Shop.xcdatamodeld#Shop 2' -o Generated --access internal",
            "folio codegen Phrases.xcdatamodeld -o Sources/Phrases --for coredata",
        ])

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        guard let folder = arguments.value(OptionSpecification.output.names[0]) else {
            throw InterchangeError.usage("-o DIR is missing")
        }
        try OutputFile.refuse(folder, in: [arguments.operands[0]])
        let loaded = try await ModelArgument.load(arguments.operands[0], console)
        var generator = CodeGenerator()
        generator.accessLevel = arguments.value("--access").flatMap(CodeGenerator.AccessLevel.init) ?? .public
        let isDryRun = arguments.has(OptionSpecification.dryRun)
        generator.framework = arguments.value("--for").flatMap(CodeGenerator.Framework.init) ?? .folio
        generator.isCodable = arguments.has("--codable")
        if generator.isCodable, generator.framework == .coreData {
            throw InterchangeError.usage("classes for coredata can't be --codable")
        }
        var report: [JSONValue] = []
        for file in try files(of: loaded, generator) {
            let path = URL(fileURLWithPath: folder).appendingPathComponent(file.name).path
            let found = FileManager.default.contents(atPath: path)
            let action =
                if found == nil { "written" } else if file.isKept { "kept" } else if found == Data(file.text.utf8) {
                    "unchanged"
                } else { "written" }
            if action == "written", !isDryRun {
                try makeFolder(folder)
                let output = try OutputFile(path: path, of: [arguments.operands[0]], registry: console.interruption)
                output.sink.write(Data(file.text.utf8))
                try output.finish()
                console.hasWritten = true
            }
            report.append(.object(["path": .string(path), "action": .string(action)]))
            if !console.isJSON {
                console.print(
                    (action == "written" && isDryRun ? "to write" : action).padding(
                        toLength: 11, withPad: " ", startingAt: 0) + Printable.line(path))
            }
        }
        if console.isJSON { console.print(.array(report)) }
        return .done
    }

    /// The generated files for a model.
    static func files(of loaded: LoadedModel, _ generator: CodeGenerator) throws -> [GeneratedFile] {
        do {
            return try generator.files(
                for: loaded.model, named: loaded.name,
                contents: String(decoding: ModelContents.encode(loaded.model), as: UTF8.self))
        } catch let error as CodegenError {
            throw InterchangeError(.malformed, "malformed", "no Swift classes can be made: \(error)")
        }
    }

    private static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw InterchangeError(
                .cannotCreate, "cannotCreate", "can't make the folder: \(error.localizedDescription)", path: path)
        }
    }
}
