import RowMemory
import SQLiteKit
import Storage

/// Collects the rows of members, which are of one entity and have one owner each, and notes whose
/// they are by runs: no list of members is kept beside the rows.
final class MemberRowCollector: RowReceiver {
    private let reader: RowReader
    private let places: OwnerPositions
    private let ownerColumn: Int
    private let ownerCount: Int
    // Changed by `receive` alone, which SQLite calls once at a time, and read when the statement is
    // over.
    @exclusivity(unchecked) private var batch = RowBatch()
    @exclusivity(unchecked) private var runs: ContiguousArray<RelatedBatch.Run> = []
    /// The run that goes on: its owner, that one's place (−1 for one that nobody asked for), and
    /// how many rows it has.
    @exclusivity(unchecked) private var owner: Int64 = 0
    @exclusivity(unchecked) private var place = -1
    @exclusivity(unchecked) private var count = 0
    /// The greatest number of the run's owner so far, and of every owner whose run is over.
    @exclusivity(unchecked) private var lastKey: Int64 = 0
    @exclusivity(unchecked) private var lastKeys: ContiguousArray<Int64>
    /// Whether the members of each owner came in the order of their numbers, as they do from the
    /// table and from an index on the owner.
    @exclusivity(unchecked) private var isSorted = true

    /// - Parameter ownerColumn: Where the owner's key stands.
    init(_ reader: RowReader, owners: [Int64], ownerColumn: Int) {
        self.reader = reader
        self.ownerColumn = ownerColumn
        places = OwnerPositions(owners)
        ownerCount = owners.count
        lastKeys = ContiguousArray(repeating: 0, count: owners.count)
    }

    @inline(__always) func receive(_ cells: some ResultCells) {
        let owner = cells.int64(at: ownerColumn)
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

/// The places of owners by their keys: a list where these are dense, as they mostly are.
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

    /// −1 for one that is not among them.
    func place(of owner: Int64) -> Int {
        if dense.isEmpty { return sparse[owner] ?? -1 }
        let offset = owner &- first
        return offset >= 0 && offset < Int64(dense.count) ? Int(dense[Int(offset)]) : -1
    }
}
