package import Foundation
package import Schema
import Storage

/// The format of a store's file. A store without a file has the format nil.
enum StoreFormat: Sendable {
    case binary(ModelCoding)
    case xml
    /// An application's own store type, which reads and writes the content itself.
    case custom(any AtomicStore, StoreType)

    var type: StoreType {
        switch self {
        case .binary: .binary
        case .xml: .xml
        case .custom(_, let type): type
        }
    }

    /// The scope of the primary keys of new objects in a store of this format.
    var numbers: ObjectNumbers.Scope {
        switch self {
        case .binary, .custom: .perHierarchy
        case .xml: .shared(first: XMLStoreFormat.firstNumber)
        }
    }
}

/// Encodes and decodes a model for a binary store, which embeds its model. The code for this is in
/// another module, which this one can't import.
package struct ModelCoding: Sendable {
    package var encode: @Sendable (ManagedObjectModel) throws -> Data
    package var decode: @Sendable (Data) throws -> ManagedObjectModel

    package init(
        encode: @escaping @Sendable (ManagedObjectModel) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> ManagedObjectModel
    ) {
        self.encode = encode
        self.decode = decode
    }
}
