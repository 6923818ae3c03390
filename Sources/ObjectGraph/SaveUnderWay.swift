package import Storage

/// A save that was prepared: what the store is to write. It can be written anywhere; the outcome goes back to the context.
package struct PreparedSave: Sendable {
    package var changes: ChangeSet
    package let number: Int
    let validates: Bool
    /// How often this save was prepared.
    let attempt: Int
}

/// What the context remembers of a save between its preparation and its end.
struct SaveUnderWay {
    let number: Int
    /// The changes as they were when the save was prepared.
    let changes: ChangeRecords
    /// Where the edits stood then.
    let position: EditPosition
    /// The objects of the change set's insertions, in its order.
    var inserted: [ContiguousArray<ManagedObject>] = []
    var updated: ContiguousArray<ManagedObject> = []
    var deleted: ContiguousArray<ManagedObject> = []
    /// Of those the ones that the store did not have any more.
    var goneBefore: Set<ManagedObject> = []
    /// Objects with changes that come to nothing.
    var unchanged: ContiguousArray<ManagedObject> = []
    var lists: ContiguousArray<MemberList> = []
    /// Objects that nobody has, which the store finds by itself.
    var memberDeletions: [MemberDeletion] = []
}
