import RowMemory
import SQLiteKit
import Storage

/// Collects the rows of members, which are of one entity and have one owner each. Owners are
/// recorded as runs of rows, so no list of members is needed besides the rows.
final class MemberRowCollector: RowReceiver {
    private let reader: RowReader
    private let places: OwnerPositions
    private let ownerColumn: Int
    private let ownerCount: Int
    // Changed only by `receive`, which SQLite never calls concurrently, and read after the
    // statement is finished.
    @exclusivity(unchecked) private var batch = RowBatch()
    @exclusivity(unchecked) private var runs: ContiguousArray<RelatedBatch.Run> = []
    /// The current run: its owner, the owner's index (−1 if it was not requested), and its number
    /// of rows.
    @exclusivity(unchecked) private var owner: Int64 = 0
    @exclusivity(unchecked) private var place = -1
    @exclusivity(unchecked) private var count = 0
    /// The greatest primary key so far in the current run, and in the finished runs of each owner.
    @exclusivity(unchecked) private var lastKey: Int64 = 0
    @exclusivity(unchecked) private var lastKeys: ContiguousArray<Int64>
    /// Whether the members of each owner came in the order of their primary keys, as they do from a
    /// table scan and from an index on the owner.
    @exclusivity(unchecked) private var isSorted = true

    /// - Parameter ownerColumn: the column with the owner's key.
    init(_ reader: RowReader, owners: [Int64], ownerColumn: Int) {
        self.reader = reader
        self.ownerColumn = ownerColumn
        places = OwnerPositions(owners)
        ownerCount = owners.count
        lastKeys = ContiguousArray(repeating: 0, count: owners.count)
    }

    @inline(__always) func receive(_ cells: some ResultCells) {
        // A range of keys includes numbers that are no keys.
        let isKey = cells.typeNumber(at: ownerColumn) == CellType.integer
        guard let owner = isKey ? cells.int64(at: ownerColumn) : cells.integer(at: ownerColumn) else { return }
        if owner != self.owner { beginRun(owner) }
        guard place >= 0 else { return }
        let before = batch.count
        reader.append(cells, to: &batch)
        guard batch.count > before else { return }
        let key = cells.int64(at: 0)
        if key <= lastKey { isSorted = false }
        lastKey = key
        count += 1
    }

    @inline(never) private func beginRun(_ owner: Int64) {
        endRun()
        self.owner = owner
        place = places.place(of: owner)
        lastKey = place >= 0 ? lastKeys[place] : 0
    }

    private func endRun() {
        guard count > 0 else { return }
        runs.append(RelatedBatch.Run(owner: place, count: count))
        lastKeys[place] = lastKey
        count = 0
    }

    var related: RelatedBatch {
        endRun()
        var related = RelatedBatch(ownerCount: ownerCount, rows: batch, runs: runs)
        if !isSorted { related.members = related.members.map { $0.sorted { $0.key < $1.key } } }
        return related
    }
}

/// Maps owners' keys to their indexes. It uses an array if the keys are dense, as is usual.
private struct OwnerPositions {
    private var first: Int64 = 0
    private var dense: ContiguousArray<Int32> = []
    private var sparse: [Int64: Int] = [:]

    init(_ owners: [Int64]) {
        guard let least = owners.min(), let greatest = owners.max() else { return }
        let (span, overflows) = greatest.subtractingReportingOverflow(least)
        if !overflows, span < Int64(owners.count) * 8 + 64 {
            first = least
            dense = ContiguousArray(repeating: -1, count: Int(span) + 1)
            for (place, owner) in owners.enumerated() where dense[Int(owner - least)] < 0 {
                dense[Int(owner - least)] = Int32(place)
            }
        } else {
            sparse = Dictionary(zip(owners, owners.indices), uniquingKeysWith: { first, _ in first })
        }
    }

    /// The index of an owner; −1 if it was not requested.
    func place(of owner: Int64) -> Int {
        if dense.isEmpty { return sparse[owner] ?? -1 }
        let offset = owner &- first
        return offset >= 0 && offset < Int64(dense.count) ? Int(dense[Int(offset)]) : -1
    }
}
