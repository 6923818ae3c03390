package import Foundation
package import Schema
internal import Synchronization

/// The XML file `contents` of an `.xcdatamodel`.
package enum ModelContents {
    /// A document is not kept waiting for a model that this process knows: its own when it is
    /// opened again, or that of all documents of an application.
    private static let recent = Mutex(RecentlyUsed<Data, ManagedObjectModel> { $0.count <= 256 << 10 })

    /// Reads a model. Order has no meaning in the file: entities and properties come out in order
    /// of name. The same bytes give the same model while it is among the few that were read last.
    ///
    /// - Throws: `ModelError.unreadable` for what is no such file, `invalid` with everything that
    ///   is wrong in it at once.
    package static func decode(_ data: Data, path: String? = nil) throws(ModelError) -> ManagedObjectModel {
        if let known = recent.withLock({ $0.value(for: data) }) { return known }
        let model = try ContentsReader.read(data, path: path)
        recent.withLock { $0.keep(model, for: data) }
        return model
    }

    /// Writes a model as Xcode does, entities and properties by name. Reading it gives an equal
    /// model.
    ///
    /// - Throws: `ModelError.invalid` for a name or value that XML can't hold.
    package static func encode(_ model: ManagedObjectModel) throws(ModelError) -> Data {
        try ContentsWriter.write(model)
    }
}
