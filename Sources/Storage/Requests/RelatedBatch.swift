package import RowMemory

/// The members of one to-many relationship for several owners.
package struct RelatedBatch: Sendable {
    /// Rows one after the other that are all members of one owner.
    package struct Run: Sendable {
        /// The owner's place among those that were asked for.
        package let owner: Int32
        package var count: Int32

        package init(owner: Int, count: Int) {
            self.owner = Int32(owner)
            self.count = Int32(count)
        }
    }

    /// The members' rows, each once, if they were asked for.
    package var rows: RowBatch
    /// Whose members the rows are, from the first row to the last; nil where members are listed. A
    /// million of these so need no list beside their rows.
    package private(set) var runs: ContiguousArray<Run>?
    private var listed: [[ObjectReference]]

    /// In the order of the owners that were asked for; ordered relationships in their order, others
    /// by entity and key.
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

    /// - Parameter runs: All the rows, which are of one entity; each owner's stand in the order of
    ///   its members.
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
