import Coding
package import Foundation
import Storage

extension AtomicPersistentStore {
    /// How many objects a store has of each entity, sub-entities not counted in: what there is to
    /// know of its objects without its model. An entity without objects counts 0. An XML store has
    /// entity names in capitals; they stand as its version hashes name them, where those do.
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
