package import RowMemory

/// The members of one to-many relationship for several owners.
package struct RelatedBatch: Sendable {
    /// In the order of the owners that were asked for; ordered relationships in their order, others by entity and key.
    package var members: [[ObjectReference]]
    /// The members' rows, each once, if they were asked for.
    package var rows: RowBatch

    package init(members: [[ObjectReference]], rows: RowBatch = RowBatch()) {
        self.members = members
        self.rows = rows
    }
}
