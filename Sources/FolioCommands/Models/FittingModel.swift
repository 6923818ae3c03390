import Folio
import Foundation

/// What `--model` means for a store.
enum FittingModel {
    /// Finds of several versions the one whose hashes fit, else gives the named or current one,
    /// which the store then refuses with the entities that differ.
    /// - Throws: where there is no such file, whether or not a store asks for the model.
    static func resolver(_ text: String?) throws -> @Sendable ([String: Data]) throws -> ManagedObjectModel? {
        guard let text else { return { _ in nil } }
        let reference = ModelReference(text)
        guard FileManager.default.fileExists(atPath: reference.url.path) else {
            let argument = DocumentArgument(reference.url.relativePath)
            guard argument.state != .newest, FileManager.default.fileExists(atPath: argument.path) else {
                throw CommandError.notFound("there is no such file", path: reference.url.relativePath)
            }
            let model = try PersistentDocument.model(of: URL(fileURLWithPath: argument.path), state: argument.state)
            return { _ in model }
        }
        return { hashes in
            do {
                return try reference.model(matching: hashes) ?? reference.model()
            } catch let error as ModelError
                where error.code == .unreadable && reference.version == nil && !ModelArgument.isModelLike(reference.url)
            {
                return try PersistentDocument.model(of: reference.url)
            }
        }
    }
}
