package import Foundation
package import Schema

/// The version of its model that a store was written with.
package struct WrittenVersion: Sendable {
    package let hashes: [String: Data]
    /// The model that the store carries; nil for none.
    package let model: ManagedObjectModel?

    package init(hashes: [String: Data], model: ManagedObjectModel?) {
        self.hashes = hashes
        self.model = model
    }
}
