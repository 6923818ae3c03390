package import Foundation
package import Schema
internal import Synchronization

/// Reads and writes `contents`, the XML file of an `.xcdatamodel`.
package enum ModelContents {
    /// Caches the models that were read last, so that opening a document does not have to parse its
    /// model again: applications often open the same document again, or several documents with one
    /// model.
    private static let recent = Mutex(RecentlyUsed<Data, ManagedObjectModel> { $0.count <= 256 << 10 })

    /// Reads a model. The order in the file has no meaning: entities and properties are sorted by
    /// name. Equal bytes return the same model while it is in a small cache.
    ///
    /// - Throws: `ModelError.unreadable` if the data are not such a file, `invalid` with all errors
    ///   in the model.
    package static func decode(_ data: Data, path: String? = nil) throws(ModelError) -> ManagedObjectModel {
        if let known = recent.withLock({ $0.value(for: data) }) { return known }
        let model = try ContentsReader.read(data, path: path)
        recent.withLock { $0.keep(model, for: data) }
        return model
    }

    /// Writes a model as Xcode does, with entities and properties sorted by name. Reading it
    /// returns an equal model.
    ///
    /// - Throws: `ModelError.invalid` for a name or value that XML can't represent.
    package static func encode(_ model: ManagedObjectModel) throws(ModelError) -> Data {
        try ContentsWriter.write(model)
    }
}
