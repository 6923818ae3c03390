import Foundation
import ModelCodegen
import ModelFiles
import Schema

/// `modelgen MODEL OUTPUT [CONFIGURATION] [--for folio|coredata]`: writes the classes of a model
/// into one Swift file. The build-tool plugin runs it.
@main
struct Modelgen {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst()), framework = CodeGenerator.Framework?.some(.folio)
        if let place = arguments.firstIndex(of: "--for"), place + 1 < arguments.count {
            framework = CodeGenerator.Framework(rawValue: arguments[place + 1])
            arguments.removeSubrange(place...place + 1)
        }
        guard arguments.count == 2 || arguments.count == 3, let framework else {
            fail("modelgen: usage: modelgen MODEL OUTPUT [CONFIGURATION] [--for folio|coredata]", 64)
        }
        do {
            let generator =
                try arguments.count == 3
                ? GeneratorConfiguration.read(URL(fileURLWithPath: arguments[2]), framework).generator
                : GeneratorConfiguration(framework).generator
            try write(
                try text(of: URL(fileURLWithPath: arguments[0]), generator), to: URL(fileURLWithPath: arguments[1]))
        } catch let error as GeneratorConfiguration.Fault {
            fail("\(error.path): error: \(error.message)", 65)
        } catch {
            // The form of a compiler's message: build systems show it at its place.
            fail("\(arguments[0]): error: \(error)", 65)
        }
    }

    private static func text(of url: URL, _ generator: CodeGenerator) throws -> String {
        let model = try ModelFile(contentsOf: url).model()
        for warning in model.warnings { say("\(url.path): warning: \(warning)") }
        let contents = String(decoding: try ModelContents.encode(model), as: UTF8.self)
        return try generator.text(for: model, named: url.deletingPathExtension().lastPathComponent, contents: contents)
    }

    /// A file that would stay the same is not touched, so that nothing is compiled again.
    private static func write(_ text: String, to url: URL) throws {
        guard FileManager.default.contents(atPath: url.path) != Data(text.utf8) else { return }
        try text.write(to: url, atomically: true, encoding: .utf8)
    }

    private static func say(_ message: String) { FileHandle.standardError.write(Data("\(message)\n".utf8)) }

    private static func fail(_ message: String, _ code: Int32) -> Never {
        say(message)
        exit(code)
    }
}
