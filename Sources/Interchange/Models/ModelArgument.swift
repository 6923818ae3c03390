package import Folio
import Foundation

/// A `MODEL` operand of the command line: a model file, one of its versions, or a document that
/// contains a model.
package enum ModelArgument {
    package static func load(
        _ text: String, opened: (PersistentDocument, DocumentArgument) -> Void = { _, _ in }
    ) async throws -> LoadedModel {
        let reference = ModelReference(text)
        guard FileManager.default.fileExists(atPath: reference.url.path) else {
            let argument = DocumentArgument(reference.url.relativePath)
            if argument.state != .newest, FileManager.default.fileExists(atPath: argument.path) {
                return try await embedded(in: reference, argument, opened)
            }
            throw InterchangeError.notFound("there is no such file", path: reference.url.relativePath)
        }
        let file: ModelFile
        do {
            file = try ModelFile(contentsOf: reference.url)
        } catch {
            // The file may be a document. If it has the extension of a model, the error of the
            // model reader is more useful.
            guard error.code == .unreadable, !isModelLike(reference.url) else { throw error }
            return try await embedded(in: reference, DocumentArgument(reference.url.relativePath), opened)
        }
        return LoadedModel(
            model: try file.model(version: reference.version),
            name: reference.url.deletingPathExtension().lastPathComponent,
            version: file.versionNames.count > 1 || reference.version != nil
                ? reference.version ?? file.currentVersionName : nil,
            versions: file.versionNames)
    }

    static func isModelLike(_ url: URL) -> Bool {
        ["xcdatamodeld", "xcdatamodel", "momd", "mom"].contains(url.pathExtension)
    }

    /// - Parameter document: The document, optionally with one of its states.
    private static func embedded(
        in reference: ModelReference, _ document: DocumentArgument,
        _ opened: (PersistentDocument, DocumentArgument) -> Void
    ) async throws -> LoadedModel {
        let loaded = try await DocumentReader.reading(reference.url.relativePath, model: nil, opened: opened) {
            reader in
            LoadedModel(
                model: reader.model,
                name: URL(fileURLWithPath: document.path).deletingPathExtension().lastPathComponent,
                version: reader.document.manifest?.model.name, versions: [])
        }
        if let version = reference.version, version != loaded.version,
            !loaded.model.definition.versionIdentifiers.contains(version)
        {
            throw InterchangeError.notFound(
                "the document's model is not called \(version)", path: reference.url.relativePath,
                hint: loaded.version.map { "its name is \($0)" })
        }
        return loaded
    }

    /// The route of a migration to a model, by way of the versions that stand beside it.
    package static func route(to text: String) async throws -> PersistentDocument.MigrationRoute {
        let loaded = try await load(text), reference = ModelReference(text)
        var former: [ManagedObjectModel] = []
        if let file = try? ModelFile(contentsOf: reference.url) {
            former = file.versionNames.filter { $0 != loaded.version }.compactMap { try? file.model(version: $0) }
        }
        return PersistentDocument.MigrationRoute(
            to: loaded.model, named: loaded.nameInDocuments, from: former)
    }
}
