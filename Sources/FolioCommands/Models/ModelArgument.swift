import Folio
import Foundation

/// A model with its name and versions.
struct LoadedModel {
    var model: ManagedObjectModel
    var name: String
    /// The name of the version, if the model has versions.
    var version: String?
    /// The names of all versions of the model.
    var versions: [String]
}

/// A `MODEL` operand of the command line: a model file, one of its versions, or a document that
/// contains a model.
enum ModelArgument {
    static func load(_ text: String, _ console: Console) async throws -> LoadedModel {
        let reference = ModelReference(text)
        guard FileManager.default.fileExists(atPath: reference.url.path) else {
            let argument = DocumentArgument(reference.url.relativePath)
            if argument.state != .newest, FileManager.default.fileExists(atPath: argument.path) {
                return try await embedded(in: reference, argument, console)
            }
            throw CommandError.notFound("there is no such file", path: reference.url.relativePath)
        }
        let file: ModelFile
        do {
            file = try ModelFile(contentsOf: reference.url)
        } catch {
            // The file may be a document. If it has the extension of a model, the error of the
            // model reader is more useful.
            guard error.code == .unreadable, !isModelLike(reference.url) else { throw error }
            return try await embedded(in: reference, DocumentArgument(reference.url.relativePath), console)
        }
        let model = try file.model(version: reference.version)
        tell(model.warnings, reference.url.relativePath, console)
        return LoadedModel(
            model: model,
            name: reference.url.deletingPathExtension().lastPathComponent,
            version: file.versionNames.count > 1 || reference.version != nil
                ? reference.version ?? file.currentVersionName : nil,
            versions: file.versionNames)
    }

    /// Tells of what the model was read without.
    private static func tell(_ warnings: [ModelError.Fault], _ path: String, _ console: Console) {
        for warning in warnings {
            console.say("warning: \(Printable.line(path)): \(Printable.line("\(warning)"))")
        }
    }

    static func isModelLike(_ url: URL) -> Bool {
        ["xcdatamodeld", "xcdatamodel", "momd", "mom"].contains(url.pathExtension)
    }

    /// - Parameter document: The document, optionally with one of its states.
    private static func embedded(in reference: ModelReference, _ document: DocumentArgument, _ console: Console)
        async throws -> LoadedModel
    {
        let loaded = try await DocumentReader.reading(reference.url.relativePath, model: nil, console) { reader in
            LoadedModel(
                model: reader.model,
                name: URL(fileURLWithPath: document.path).deletingPathExtension().lastPathComponent,
                version: reader.document.manifest?.model.name, versions: [])
        }
        tell(loaded.model.warnings, reference.url.relativePath, console)
        if let version = reference.version, version != loaded.version,
            !loaded.model.definition.versionIdentifiers.contains(version)
        {
            throw CommandError.notFound(
                "the document's model is not called \(version)", path: reference.url.relativePath,
                hint: loaded.version.map { "its name is \($0)" })
        }
        return loaded
    }
}
