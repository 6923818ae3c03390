import Schema

/// What other contexts saved of objects with unsaved changes, for when these changes are given up.
///
/// The objects are retained until then, or until a save.
struct DeferredMerges {
    /// Objects with edits, or deleted here, that were deleted in the store.
    var gone: Set<ManagedObject> = []
    /// Objects without edits that were deleted in the store, and are deleted here for that reason.
    var accepted: Set<ManagedObject> = []
    /// Objects deleted here that were changed in the store.
    var changed: Set<ManagedObject> = []
    /// Whether saves of other contexts were merged, so that relationships may have changed below
    /// unsaved edits and below steps of undo.
    var hasMerged = false
    /// The lists to compare with their inverses once all objects of a merge have the store's
    /// values; nil outside of a merge.
    var listsToAdjust: [(owner: ManagedObject, relation: EntityShape.Relation)]?
    /// What was saved of objects while this context was saving them.
    var ofSaveUnderWay = SavedChanges()

    /// Whether nothing was deferred.
    var isEmpty: Bool { gone.isEmpty && accepted.isEmpty && changed.isEmpty }

    /// Forgets objects that were saved: the store has what this context has.
    mutating func forget(_ saved: some Sequence<ManagedObject>) {
        if isEmpty { return }
        for object in saved {
            gone.remove(object)
            accepted.remove(object)
            changed.remove(object)
        }
    }

    /// Forgets what was deferred so far. What is saved meanwhile of the objects of a save in
    /// progress is merged at its end.
    mutating func forgetMerges() {
        (gone, accepted, changed, hasMerged) = ([], [], [], false)
    }

    /// Returns what was saved during the save, and clears it.
    mutating func takeSaves() -> SavedChanges {
        defer { ofSaveUnderWay = SavedChanges() }
        return ofSaveUnderWay
    }
}
