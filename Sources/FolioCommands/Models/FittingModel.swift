import Folio
import Foundation

/// What `--model` means for a store.
enum FittingModel {
    /// Finds of several versions the one whose hashes fit, else gives the named or current one,
    /// which the store then refuses with the entities that differ.
    /// - Throws: where there is no such file, whether or not a store asks for the model.
    static func choice(_ text: String?) throws -> ModelChoice {
        guard let text else { return .own }
        let reference = ModelReference(text)
        guard FileManager.default.fileExists(atPath: reference.url.path) else {
            let argument = DocumentArgument(reference.url.relativePath)
            guard argument.state != .newest, FileManager.default.fileExists(atPath: argument.path) else {
                throw CommandError.notFound("there is no such file", path: reference.url.relativePath)
            }
            return .model(
                try PersistentDocument.model(of: URL(fileURLWithPath: argument.path), state: argument.state))
        }
        return .reference(reference, mayBeDocument: !ModelArgument.isModelLike(reference.url))
    }
}
