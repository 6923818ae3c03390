internal import Coding
package import Foundation
package import Schema

/// Reads and writes compiled models: the keyed archive in a `.mom` file, and the same archive in a
/// store.
package enum CompiledModel {
    /// The destination of an archive. The archives differ slightly, as in Core Data.
    package enum Form: Sendable {
        /// A `.mom` file: every entity lists the properties that it declares.
        case file
        /// The model cache of a store: every entity also lists copies of the inherited properties.
        case storeCache
    }

    /// Reads an archived model.
    ///
    /// - Throws: `ModelError.unreadable` if the data are not such an archive, `invalid` with all
    ///   errors in the model.
    package static func decode(_ data: Data, path: String? = nil) throws(ModelError) -> ManagedObjectModel {
        try CompiledModelReader.read(data, path: path)
    }

    /// Archives a model under Core Data's keys. Content that compiled models can't represent is
    /// left out: code generation settings, diagrams and extra markup. `compiledDescription` is the
    /// description that reading the archive returns. Equal models have equal bytes.
    package static func encode(_ model: ManagedObjectModel, form: Form = .file) throws(ModelError) -> Data {
        try CompiledModelWriter.write(model, form: form)
    }
}

/// The model in a store (`Z_MODELCACHE.Z_CONTENT`): an archived model, compressed with raw DEFLATE.
package enum ModelCache {
    /// The maximum size of an archive. The largest known one is below 1 MB.
    private static let maximumSize = 64 << 20

    /// Reads the model of a store.
    package static func decode(_ blob: Data) throws(ModelError) -> ManagedObjectModel {
        let archive: Data
        do {
            archive = try RawDeflate.decompress(blob, limit: maximumSize)
        } catch {
            throw ModelError(.unreadable, "The model in the store can't be read: \(error)")
        }
        return try CompiledModel.decode(archive)
    }

    /// Encodes a model for a store.
    package static func encode(_ model: ManagedObjectModel) throws(ModelError) -> Data {
        let archive = try CompiledModel.encode(model, form: .storeCache)
        do {
            return try RawDeflate.compress(archive)
        } catch {
            throw ModelError(.invalid, "The model can't be compressed: \(error)")
        }
    }
}

extension ManagedObjectModel {
    /// The model's description without the content that compiled models can't represent.
    package var compiledDescription: Definition {
        var copy = definition
        copy.extraMarkup = [:]
        copy.diagram = []
        func compiled(_ attribute: AttributeDescription) -> AttributeDescription {
            var attribute = attribute
            attribute.extraMarkup = [:]
            attribute.usesScalarValueType = false
            return attribute
        }
        for index in copy.entities.indices {
            copy.entities[index].extraMarkup = [:]
            copy.entities[index].attributes = copy.entities[index].attributes.map(compiled)
            for place in copy.entities[index].relationships.indices {
                copy.entities[index].relationships[place].extraMarkup = [:]
            }
            for place in copy.entities[index].fetchedProperties.indices {
                copy.entities[index].fetchedProperties[place].extraMarkup = [:]
                copy.entities[index].fetchedProperties[place].fetchRequest.extraMarkup = [:]
            }
            for place in copy.entities[index].indexes.indices {
                for element in copy.entities[index].indexes[place].elements.indices {
                    copy.entities[index].indexes[place].elements[element].extraMarkup = [:]
                }
            }
        }
        for index in copy.composites.indices {
            copy.composites[index].attributes = copy.composites[index].attributes.map(compiled)
        }
        for index in copy.fetchRequestTemplates.indices { copy.fetchRequestTemplates[index].extraMarkup = [:] }
        return copy
    }
}
