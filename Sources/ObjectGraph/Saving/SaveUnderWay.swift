import RowMemory
package import Storage

/// A prepared save: the changes that the store has to write. They can be written in any isolation
/// domain; the outcome is passed back to the context.
package struct PreparedSave: Sendable {
    package var changes: ChangeSet
    package let number: Int
    let validates: Bool
    /// The number of times that this save was prepared.
    let attempt: Int
}

/// The state of a save between its preparation and its completion.
struct SaveUnderWay {
    let number: Int
    /// The changes at the time of the preparation.
    var changes: ChangeRecords
    /// The edit position at that time.
    let position: EditPosition
    // The following are indexes in `changes`, which retain the objects.
    /// The objects of the change set's insertions, in the same groups and order.
    var inserted: [ContiguousArray<Int32>] = []
    var updated: ContiguousArray<Int32> = []
    var deleted: ContiguousArray<Int32> = []
    /// The deleted objects that no longer existed in the store.
    var goneBefore: Set<ManagedObject> = []
    /// Objects whose changes cancel out.
    var unchanged: ContiguousArray<Int32> = []
    var lists: ContiguousArray<MemberList> = []
    /// Members of deleted objects that the store has to find and delete.
    var memberDeletions: [MemberDeletion] = []
    /// The slabs of the rows that are lent to the store.
    var borrowedSlabs: ContiguousArray<RowSlab> = []
    var interruption: Interruption?

    /// Operations of the context's owner while the store was writing.
    enum Interruption {
        /// Unsaved changes were rolled back. If the store does not write the save, its changes are
        /// discarded, too.
        case rollback
        /// The context was reset. The objects of the save are not updated.
        case reset
    }

    mutating func interrupt(by interruption: Interruption) {
        // A reset takes precedence.
        if self.interruption != .reset { self.interruption = interruption }
    }

    /// Marks the lent rows as no longer read by the store.
    func takeBackRows() {
        for slab in borrowedSlabs { slab.isBorrowed = false }
    }
}
