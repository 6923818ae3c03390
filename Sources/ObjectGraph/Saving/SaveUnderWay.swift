import RowMemory
package import Storage

/// A save that was prepared: what the store is to write. It can be written anywhere; the outcome
/// goes back to the context.
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
    var changes: ChangeRecords
    /// Where the edits stood then.
    let position: EditPosition
    // What follows are places in `changes`, which hold the objects.
    /// The objects of the change set's insertions, in its order.
    var inserted: [ContiguousArray<Int32>] = []
    var updated: ContiguousArray<Int32> = []
    var deleted: ContiguousArray<Int32> = []
    /// Of those the ones that the store did not have any more.
    var goneBefore: Set<ManagedObject> = []
    /// Objects with changes that come to nothing.
    var unchanged: ContiguousArray<Int32> = []
    var lists: ContiguousArray<MemberList> = []
    /// Objects that nobody has, which the store finds by itself.
    var memberDeletions: [MemberDeletion] = []
    /// The slabs of the rows that the change set lends the store.
    var borrowedSlabs: ContiguousArray<RowSlab> = []
    var interruption: Interruption?

    /// What the owner of the context did while the store was writing.
    enum Interruption {
        /// Changes were rolled back: those of the save are dropped too where the store does not
        /// write them.
        case rollback
        /// The objects were forgotten: nothing of the save comes back to them.
        case reset
    }

    mutating func interrupt(by interruption: Interruption) {
        // Forgotten objects stay forgotten.
        if self.interruption != .reset { self.interruption = interruption }
    }

    /// Nobody reads the rows any more.
    func takeBackRows() {
        for slab in borrowedSlabs { slab.isBorrowed = false }
    }
}
