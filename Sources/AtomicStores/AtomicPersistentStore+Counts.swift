import Coding
package import Foundation
import Storage

extension AtomicPersistentStore {
    /// The number of objects of each entity in a store, subentities not included. No model is
    /// needed. An entity without objects counts 0. An XML store has its entity names in capitals;
    /// they are replaced by the names in its version hashes, if those include them.
    /// - Throws: `StorageError`, as opening does.
    package static func objectCounts(at url: URL) throws -> [String: Int] {
        do {
            var file = try StoreFile(PersistentStoreDescription(url: url))
            guard let bytes = try file.read() else { throw StorageError(.notFound, "There is no store") }
            return isBinaryStore(bytes.prefix(8))
                ? try BinaryStoreReader(bytes).objectCounts() : try XMLStoreReader(bytes).objectCounts()
        } catch {
            throw StorageError(below: error, path: url.path)
        }
    }
}
