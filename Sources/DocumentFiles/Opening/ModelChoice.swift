package import Foundation
package import ModelFiles
package import Schema

/// With which model a store is read: stores by themselves may carry none, and a tool may want
/// another than theirs.
package enum ModelChoice: Sendable {
    /// The one that the store or its document carries.
    case own
    /// This one; the store refuses it where it is of another version.
    case model(ManagedObjectModel)
    /// The first of these that has the version hashes of the store, else its own.
    case fitting([ManagedObjectModel])
    /// The first version in these files that has the version hashes of the store, else its own.
    case versions([ModelFile])
    /// A model as a person names it: of several versions the one with the version hashes of the
    /// store, else the named or current one, which the store then refuses.
    /// - Parameter mayBeDocument: Whether the path may be that of a document, whose model counts
    ///   then.
    case reference(ModelReference, mayBeDocument: Bool)

    /// The model of a caller who gives one or none.
    package init(_ model: ManagedObjectModel?) { self = model.map { .model($0) } ?? .own }

    /// The model for a store that records these version hashes; nil for its own.
    /// - Throws: what reading a model in files throws.
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
