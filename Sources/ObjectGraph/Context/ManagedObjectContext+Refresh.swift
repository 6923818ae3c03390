extension ManagedObjectContext {
    /// Drops all changes: new objects are forgotten, deleted ones are back, values are the saved ones. Undo forgets everything. Reads nothing.
    ///
    /// While a save is being written elsewhere, as a document's are, this acts as if it came after the save: what was changed since the save began is dropped at once, what the save
    /// writes stays, and where the save fails that is dropped too, unless there are new changes by then. `revert()` of a document gives up autosaved work as well.
    public func rollback() { rollbacks.rollBack() }

    /// Forgets every object and change. Objects that are still held have no context any more, and no values: keep object IDs.
    ///
    /// A save that is being written elsewhere meanwhile, as a document's are, goes on: it writes what it has taken, or, where it fails, nothing.
    public func reset() { rollbacks.reset() }

    /// Makes an object show the store's values at its next use.
    ///
    /// - Parameter mergeChanges: whether unsaved changes stay, on top of what the store has now; they are dropped otherwise, and the other ends of its relationships stay as
    /// they are: refresh these too. A new object keeps its values either way.
    ///
    /// A deletion that is merged is made again, of what the store has now, if somebody else changed it; undo forgets every group that concerns what is deleted then. Never fails: where the store can't be read the object stays as it is, and the next save throws why.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) { merging.refresh(object, mergeChanges: mergeChanges) }

    /// Makes all objects without changes faults again, and brings the others up to date under their changes.
    public func refreshAllObjects() { merging.refreshAllObjects() }

    /// Deletes what the store has no more, as if somebody else had saved that: after another state has taken its place. Reads the rows of all objects without changes;
    /// where that fails they are as they were.
    package func forgetMissingObjects() { merging.forgetMissingObjects() }
}
