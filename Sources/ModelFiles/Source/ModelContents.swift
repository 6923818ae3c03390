package import Foundation
package import Schema

/// The XML file `contents` of an `.xcdatamodel`.
package enum ModelContents {
    /// Reads a model. Order has no meaning in the file: entities and properties come out in order
    /// of name. The same bytes give the same model while it is among the few that were read last.
    ///
    /// - Throws: `ModelError.unreadable` for what is no such file, `invalid` with everything that
    ///   is wrong in it at once.
    package static func decode(_ data: Data, path: String? = nil) throws(ModelError) -> ManagedObjectModel {
        if let model = ModelContentsCache.model(of: data) { return model }
        let model = try ContentsReader.read(data, path: path)
        ModelContentsCache.keep(model, of: data)
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
