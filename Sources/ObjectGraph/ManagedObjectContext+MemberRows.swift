import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Gives the lists of some owners their members.
    /// - Parameter runs: whose members the rows are, from the first row to the last.
    func load(_ rows: RowBatch, _ runs: ContiguousArray<RelatedBatch.Run>, of owners: [ManagedObject], _ relation: EntityShape.Relation) {
        var parts = ContiguousArray<ContiguousArray<MemberRows.Run>>(repeating: [], count: owners.count)
        var next = 0, left = 0, owner = 0
        let isOneEntity = rows.forEachSlab { slab in
            var place = 0
            while place < slab.count {
                if left == 0 {
                    (owner, left) = (Int(runs[next].owner), Int(runs[next].count))
                    next += 1
                }
                let count = min(left, slab.count - place)
                let start = parts[owner].last.map { $0.start + $0.count } ?? 0
                parts[owner].append(MemberRows.Run(slab: slab, first: place, count: count, start: start))
                place += count
                left -= count
            }
        }
        precondition(isOneEntity, "Runs are of rows of one entity")
        let entityIndex = relation.property.destinationIndex
        let identities = identities[rootIndex(entityIndex)]
        let staysRows = isPlain[entityIndex] && parent == nil && registrars == nil && !retainsRegisteredObjects
        for (owner, runs) in zip(owners, parts) {
            noteChange(owner, relation.index)
            let list = list(owner, relation)
            if staysRows, list.takesRows, let rows = MemberRows(runs, entityIndex: entityIndex, identities, life) {
                list.load(rows)
            } else {
                list.load(adopt(runs, isOneOfMany: rows.count >= Self.manyRows))
            }
        }
    }
}
