internal import Coding
package import Foundation
package import Schema

/// Compiled models: the keyed archive in a `.mom`, and the same archive in a store.
package enum CompiledModel {
    /// Where an archive is to be kept; the two differ a little, as they do in Core Data.
    package enum Form: Sendable {
        /// A `.mom`: every entity lists its own properties.
        case file
        /// A store's model cache: every entity lists copies of the inherited ones too.
        case storeCache
    }

    /// Reads an archived model.
    ///
    /// - Throws: `ModelError.unreadable` for what is no such archive, `invalid` with everything
    ///   that is wrong in the model.
    package static func decode(_ data: Data, path: String? = nil) throws(ModelError) -> ManagedObjectModel {
        try CompiledModelReader.read(data, path: path)
    }

    /// Archives a model under Core Data's own keys. What compiled models have no room for is left
    /// out: hints for code generation, diagrams, extra markup; `compiledDescription` says what
    /// reading the archive gives. The same model always gives the same bytes.
    package static func encode(_ model: ManagedObjectModel, form: Form = .file) throws(ModelError) -> Data {
        try CompiledModelWriter.write(model, form: form)
    }
}

/// The model inside a store (`Z_MODELCACHE.Z_CONTENT`): raw DEFLATE of an archived model.
package enum ModelCache {
    /// More than any model takes: the largest that was seen is below 1 MB.
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

    /// The bytes to keep in a store.
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
    /// What is left of the model's description when it is compiled.
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
