import Folio
import Foundation

/// What `--model` means for a store.
enum FittingModel {
    /// Finds of several versions the one whose hashes fit, else gives the named or current one, which the store then refuses with the entities that differ.
    static func resolver(_ text: String?) -> @Sendable ([String: Data]) throws -> ManagedObjectModel? {
        { hashes in
            guard let text else { return nil }
            let reference = ModelReference(text)
            do {
                return try reference.model(matching: hashes) ?? reference.model()
            } catch let error as ModelError where error.code == .unreadable && reference.version == nil && !ModelArgument.isModelLike(reference.url) {
                return try PersistentDocument.model(of: reference.url)
            }
        }
    }
}
