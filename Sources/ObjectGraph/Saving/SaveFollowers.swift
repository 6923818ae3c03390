import Synchronization

/// The contexts that merge the saves to a coordinator or to a parent context.
///
/// Contexts belong to different tasks: a save only delivers its changes to inboxes, and each
/// follower merges them later in its own isolation domain.
final class SaveFollowers: Sendable {
    private struct Follower {
        weak var inbox: SaveInbox?
    }

    private let followers = Mutex<[Follower]>([])

    var isEmpty: Bool { followers.withLock { $0.isEmpty } }

    func add(_ inbox: SaveInbox) {
        followers.withLock { followers in
            followers.removeAll { $0.inbox == nil }
            followers.append(Follower(inbox: inbox))
        }
    }

    func remove(_ inbox: SaveInbox) {
        followers.withLock { $0.removeAll { $0.inbox == nil || $0.inbox === inbox } }
    }

    /// Delivers changes to all followers except the context that saved.
    func post(_ changes: SavedChanges, from own: SaveInbox?) {
        let inboxes = followers.withLock { $0.compactMap(\.inbox) }
        for inbox in inboxes where inbox !== own { inbox.add(changes) }
    }
}

/// The changes saved by other contexts that are waiting to be merged.
final class SaveInbox: Sendable {
    private let waiting = Mutex<[SavedChanges]>([])
    private let arrived = Mutex<(@Sendable () -> Void)?>(nil)

    func setArrived(_ handler: (@Sendable () -> Void)?) { arrived.withLock { $0 = handler } }

    func add(_ changes: SavedChanges) {
        waiting.withLock { $0.append(changes) }
        arrived.withLock { $0 }?()
    }

    func takeAll() -> [SavedChanges] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
