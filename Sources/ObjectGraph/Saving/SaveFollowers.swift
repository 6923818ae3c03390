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

    /// Stops delivering to a context's former inbox, and delivers to the new one, if there is one.
    func exchange(_ former: SaveInbox?, for new: SaveInbox?) -> SaveInbox? {
        followers.withLock { followers in
            followers.removeAll { $0.inbox == nil || $0.inbox === former }
            if let new { followers.append(Follower(inbox: new)) }
        }
        return new
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
    private let arrived: Mutex<(@Sendable () -> Void)?>

    /// - Parameter handler: Called from wherever somebody saves.
    init(_ handler: (@Sendable () -> Void)?) { arrived = Mutex(handler) }

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
