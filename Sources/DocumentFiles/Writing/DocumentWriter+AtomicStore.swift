internal import AtomicStores
internal import Foundation
internal import Schema
package import Storage

extension DocumentWriter {
    /// Writes a store of an atomic type.
    package func makeAtomicStore(_ content: Content, _ description: PersistentStoreDescription) throws -> SaveReceipt {
        let store = try BareStore.create(description, model: model)
        do {
            var receipt = SaveReceipt(keys: [])
            if case .copy(let session, let changes) = content {
                try store.writingOnce {
                    try RowCopier(from: session.store, to: store, progress: { try WorkProgress.advance(by: Int64($0)) })
                        .copy()
                    try Self.copyApplicationMetadata(from: session.store, to: store)
                    if let changes { receipt = try store.apply(changes.withFirstVersions) }
                }
            }
            try store.close()
            return receipt
        } catch {
            try? store.close()
            throw error
        }
    }

    /// Copies the application's metadata of a store. Metadata that describe the file or the
    /// document are not copied.
    package static func copyApplicationMetadata(from source: any StoreBackend, to target: any StoreBackend) throws {
        var changes = ChangeSet()
        for (key, value) in try source.metadata()
        where !key.hasPrefix("NS") && !key.hasPrefix("_NS") && DocumentMarker.removal[key] == nil {
            changes.metadata[key] = value
        }
        if !changes.isEmpty { _ = try target.apply(changes) }
    }
}
