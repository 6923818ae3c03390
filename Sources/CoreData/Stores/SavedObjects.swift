import ObjectGraph
import Schema
import Synchronization

/// The objects that the contexts of a coordinator have changed and saved, so that a conflict says
/// whether it is with one of them or with somebody else.
final class SavedObjects: Sendable {
    private static let most = 100_000
    private let ids = Mutex<Set<ManagedObjectID>>([])

    func note(_ changes: SavedChanges) {
        ids.withLock { ids in
            if ids.count + changes.updated.count + changes.deleted.count > Self.most { ids = [] }
            ids.formUnion(changes.updated)
            ids.formUnion(changes.deleted)
        }
    }

    func contains(_ id: ManagedObjectID) -> Bool { ids.withLock { $0.contains(id) } }
}
