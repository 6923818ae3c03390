import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Brings what another context saved into this one: objects that are known here show the new values, under their own unsaved changes; those that were deleted are deleted
    /// here, unless they have unsaved changes, whose save will say so.
    ///
    /// Costs one trip to the store for each hierarchy with changed objects. Nothing of it is undoable, and nothing of it is saved again. Never fails: where the store can't be
    /// read objects stay as they are, and the next save throws why.
    public func mergeChanges(from changes: SavedChanges) {
        processPendingChanges()
        merge(changes)
    }

    /// ``mergeChanges(from:)`` with what a context told of its save.
    public func mergeChanges(fromContextDidSave notification: ContextNotification) {
        mergeChanges(from: notification.changes)
    }

    /// Brings changes that no context has told of, such as those of a batch request, into several contexts.
    public static func mergeChanges(fromRemoteContextSave changes: SavedChanges, into contexts: [ManagedObjectContext]) {
        for context in contexts { context.mergeChanges(from: changes) }
    }

    /// Merges what was saved elsewhere since the last time.
    func mergeWaitingSaves() {
        guard let inbox, saveUnderWay == nil else { return }
        for changes in inbox.takeAll() { merge(changes) }
    }

    private func merge(_ saved: SavedChanges) {
        moveGenerationForward()
        withoutUndo {
            merging.mergeUpdates(saved.updated)
            for id in saved.deleted { merging.mergeDeletion(id) }
            if isObserved(.objectsDidChange) {
                for id in saved.inserted { if let reference = ownReference(of: id) { news.mergedInsertions.insert(registry.object(reference)) } }
            }
        }
        endEvent()
        followers.post(saved, from: nil)
        guard isObserved(.didMerge) else { return }
        var notification = ContextNotification(.didMerge, self)
        notification.merged = saved
        post(notification)
    }

    /// Begins or ends following what is saved to the coordinator or parent.
    func follow(_ isFollowing: Bool) {
        let source = parent?.followers ?? persistentStoreCoordinator.followers
        if let inbox { source.remove(inbox) }
        inbox = isFollowing ? SaveInbox() : nil
        if let inbox { source.add(inbox) }
    }
}
