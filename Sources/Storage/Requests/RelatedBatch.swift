package import RowMemory

/// The members of one to-many relationship for several owners.
package struct RelatedBatch: Sendable {
    /// Consecutive rows that are all members of one owner.
    package struct Run: Sendable {
        /// The index of the owner among the requested owners.
        package let owner: Int32
        package var count: Int32

        package init(owner: Int, count: Int) {
            self.owner = Int32(owner)
            self.count = Int32(count)
        }
    }

    /// The rows of the members, each once, if they were requested.
    package var rows: RowBatch
    /// The owners of the rows, in the order of the rows; nil if the members are stored as lists.
    /// Runs save the memory of lists for millions of members.
    package private(set) var runs: ContiguousArray<Run>?
    private var listed: [[ObjectReference]]

    /// The members of each owner, in the order of the requested owners. Ordered relationships are
    /// in their order, others in order of entity and key.
    package var members: [[ObjectReference]] {
        get { runs.map { lists(of: $0) } ?? listed }
        set {
            listed = newValue
            runs = nil
        }
    }

    package init(members: [[ObjectReference]], rows: RowBatch = RowBatch()) {
        listed = members
        self.rows = rows
    }

    /// - Parameter runs: Covers all rows, which must be of one entity. The rows of each owner are
    ///   in the order of its members.
    package init(ownerCount: Int, rows: RowBatch, runs: ContiguousArray<Run>) {
        listed = Array(repeating: [], count: ownerCount)
        self.rows = rows
        self.runs = runs
    }

    private func lists(of runs: ContiguousArray<Run>) -> [[ObjectReference]] {
        var lists = listed
        var next = 0
        for run in runs {
            for index in next..<(next + Int(run.count)) {
                lists[Int(run.owner)].append(
                    ObjectReference(key: rows[index].key, entityIndex: rows[index].entityIndex))
            }
            next += Int(run.count)
        }
        return lists
    }
}
