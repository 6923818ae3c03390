package import Foundation
package import Schema
import Storage

/// How a store's file is read and written; nil in its place is a store without a file.
enum StoreFormat: Sendable {
    case binary(ModelCoding)
    case xml
    /// An application's own kind, which does what the file does for others.
    case custom(any AtomicStore)

    var type: StoreType {
        switch self {
        case .binary: .binary
        case .xml: .xml
        case .custom(let store): Swift.type(of: store).storeType
        }
    }

    /// The numbers of new objects in a store of this format.
    var numbers: ObjectNumbers.Scope {
        switch self {
        case .binary, .custom: .perHierarchy
        case .xml: .shared(first: XMLStoreFormat.firstNumber)
        }
    }
}

/// How a model becomes bytes in a store and back: binary stores carry their model, and the room
/// that knows how to write one is not this one's to use.
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
