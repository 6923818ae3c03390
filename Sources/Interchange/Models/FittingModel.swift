package import Folio
import Foundation

/// Interprets `--model` for a store.
package enum FittingModel {
    /// The model version that matches the store's hashes or, if none does, the named or current
    /// version, which the store then rejects with the entities that differ.
    /// - Throws: An error if the file does not exist, even if the model turns out not to be needed.
    package static func choice(_ text: String?) throws -> ModelChoice {
        guard let text else { return .own }
        let reference = ModelReference(text)
        guard FileManager.default.fileExists(atPath: reference.url.path) else {
            let argument = DocumentArgument(reference.url.relativePath)
            guard argument.state != .newest, FileManager.default.fileExists(atPath: argument.path) else {
                throw InterchangeError.notFound("there is no such file", path: reference.url.relativePath)
            }
            return .model(
                try DocumentOpening.model(of: URL(fileURLWithPath: argument.path), state: argument.state))
        }
        return .reference(reference, mayBeDocument: !ModelArgument.isModelLike(reference.url))
    }
}
