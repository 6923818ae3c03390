package import Foundation
internal import ModelFiles
package import Schema

extension ModelChoice {
    /// The model for a store with these version hashes; nil for the store's own one.
    /// - Throws: The errors of reading model files.
    package func model(fitting hashes: [String: Data]) throws -> ManagedObjectModel? {
        switch self {
        case .own: return nil
        case .model(let model): return model
        case .fitting(let models): return models.first { $0.isCompatible(withVersionHashes: hashes) }
        case .versions(let files):
            for file in files {
                if let found = try file.model(matching: hashes) { return found.model }
            }
            return nil
        case .reference(let reference, let mayBeDocument):
            do {
                return try reference.model(matching: hashes) ?? reference.model()
            } catch let error as ModelError
                where error.code == .unreadable && reference.version == nil && mayBeDocument
            {
                let session = try DocumentSession.read(reference.url.path, model: .own)
                defer { try? session.close() }
                return session.model
            }
        }
    }
}
