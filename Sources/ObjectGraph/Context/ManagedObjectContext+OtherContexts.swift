extension ManagedObjectContext {
    /// Creates a child of a context. It sees the parent's objects with their unsaved changes, and
    /// saving it applies its changes to the parent. They are written to the store when the topmost
    /// context is saved.
    ///
    /// ```swift
    /// let draft = ManagedObjectContext(parent: document.context)
    /// try draft.existingObject(with: book.objectID)["title"] = "Emma"
    /// try draft.save()        // or forget the draft
    /// ```
    /// A child retains its parent and must be used in the same isolation domain. There are no
    /// conflicts between parent and child: the child's changes prevail. A new object keeps its
    /// temporary ID in both contexts until the topmost context is saved.
    public convenience init(parent: ManagedObjectContext) {
        let store = ParentStore(parent)
        self.init(parent.persistentStoreCoordinator, parent: parent, parentStore: store)
        store.child = self
    }

    /// Merges changes that another context saved. Registered objects get the new values, with their
    /// own unsaved changes on top; deleted objects are deleted here, except those with unsaved
    /// changes, whose save reports the conflict.
    ///
    /// Takes one query of the store for each entity hierarchy with changes. Merged changes can't be
    /// undone and are not saved again. This does not throw: if the store can't be read, objects are
    /// unchanged, and the next save throws.
    public func mergeChanges(from changes: SavedChanges) {
        processWithinStep()
        merging.merge(changes)
    }

    /// Merges the changes of a save of another context, as its notification describes them.
    public func mergeChanges(fromContextDidSave notification: ContextNotification) {
        mergeChanges(from: notification.changes)
    }

    /// Merges changes that no context has made, such as those of a batch request, into several
    /// contexts.
    public static func mergeChanges(fromRemoteContextSave changes: SavedChanges, into contexts: [ManagedObjectContext])
    {
        for context in contexts { context.mergeChanges(from: changes) }
    }
}
