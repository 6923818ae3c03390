extension ManagedObjectContext {
    /// Makes a child of a context: it sees the parent's objects with their unsaved changes, and its
    /// save makes its own changes the parent's, one level up. They reach the store when the topmost
    /// context saves.
    ///
    /// ```swift
    /// let draft = ManagedObjectContext(parent: document.context)
    /// try draft.existingObject(with: book.objectID)["title"] = "Emma"
    /// try draft.save()        // or forget the draft
    /// ```
    /// A child holds its parent, and is used where that is used. Conflicts don't arise between
    /// them: what the child saves counts. A new object keeps its temporary ID in both until the
    /// topmost context saves.
    public convenience init(parent: ManagedObjectContext) {
        self.init(parent.persistentStoreCoordinator, parent: parent, parentStore: ParentStore(parent))
    }

    /// Brings what another context saved into this one: objects that are known here show the new
    /// values, under their own unsaved changes; those that were deleted are deleted here, unless
    /// they have unsaved changes, whose save will say so.
    ///
    /// Costs one trip to the store for each hierarchy with changed objects. Nothing of it is
    /// undoable, and nothing of it is saved again. Never fails: where the store can't be read
    /// objects stay as they are, and the next save throws why.
    public func mergeChanges(from changes: SavedChanges) {
        processPendingChanges()
        merging.merge(changes)
    }

    /// ``mergeChanges(from:)`` with what a context told of its save.
    public func mergeChanges(fromContextDidSave notification: ContextNotification) {
        mergeChanges(from: notification.changes)
    }

    /// Brings changes that no context has told of, such as those of a batch request, into several
    /// contexts.
    public static func mergeChanges(fromRemoteContextSave changes: SavedChanges, into contexts: [ManagedObjectContext])
    {
        for context in contexts { context.mergeChanges(from: changes) }
    }

    /// Begins or ends following what is saved to the coordinator or parent.
    func follow(_ isFollowing: Bool) {
        let source = parent?.followers ?? persistentStoreCoordinator.followers
        if let inbox { source.remove(inbox) }
        inbox = isFollowing ? SaveInbox() : nil
        if let inbox { source.add(inbox) }
    }
}
