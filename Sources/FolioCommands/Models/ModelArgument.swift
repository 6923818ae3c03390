import Folio
import Foundation

/// A model with what is known of where it came from.
struct LoadedModel {
    var model: ManagedObjectModel
    var name: String
    /// The version's name, where the model has versions.
    var version: String?
    /// All versions that stand beside it.
    var versions: [String]
}

/// A `MODEL` of the command line: a model file, one version of it, or a document that carries one.
enum ModelArgument {
    static func load(_ text: String, _ console: Console) async throws -> LoadedModel {
        let reference = ModelReference(text)
        guard FileManager.default.fileExists(atPath: reference.url.path) else {
            let argument = DocumentArgument(text)
            if argument.state != .newest, FileManager.default.fileExists(atPath: argument.path) {
                return try await embedded(in: text, name: URL(fileURLWithPath: argument.path).deletingPathExtension().lastPathComponent, console)
            }
            throw CommandError.notFound("there is no such file", path: reference.url.relativePath)
        }
        let file: ModelFile
        do {
            file = try ModelFile(contentsOf: reference.url)
        } catch {
            // No model file: a document, perhaps. For a file in a model's clothes what the model reader said is the better reason.
            guard error.code == .unreadable, !isModelLike(reference.url) else { throw error }
            return try await embedded(in: reference, console)
        }
        return LoadedModel(
            model: try file.model(version: reference.version), name: reference.url.deletingPathExtension().lastPathComponent,
            version: file.versionNames.count > 1 || reference.version != nil ? reference.version ?? file.currentVersionName : nil,
            versions: file.versionNames)
    }

    static func isModelLike(_ url: URL) -> Bool { ["xcdatamodeld", "xcdatamodel", "momd", "mom"].contains(url.pathExtension) }

    private static func embedded(in reference: ModelReference, _ console: Console) async throws -> LoadedModel {
        if let version = reference.version { throw CommandError.notFound("a document has no model versions, such as \(version)", path: reference.url.path) }
        return try await embedded(in: reference.url.path, name: reference.url.deletingPathExtension().lastPathComponent, console)
    }

    /// - Parameter document: perhaps one of its states.
    private static func embedded(in document: String, name: String, _ console: Console) async throws -> LoadedModel {
        try await DocumentReader.reading(document, model: nil, console) { reader in
            LoadedModel(model: reader.model, name: name, version: reader.document.manifest?.model.name, versions: [])
        }
    }
}
