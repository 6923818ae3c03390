import RowMemory
import Schema
import Storage

/// The objects that a batch deletes, and the objects that its delete rules change.
struct DoomedObjects {
    struct Row {
        let reference: ObjectReference
        let version: Int64
    }

    private(set) var byEntity: [Int: [Row]] = [:]
    var known: Set<ObjectReference> = []
    var changed: [ObjectReference] = []

    /// Adds the rows that are not known yet, and returns those.
    mutating func add(_ rows: [Row], rootOf root: (Int) -> Int) -> [Row] {
        let new = rows.filter {
            known.insert(ObjectReference(key: $0.reference.key, entityIndex: root($0.reference.entityIndex))).inserted
        }
        for row in new { byEntity[row.reference.entityIndex, default: []].append(row) }
        return new
    }

    func contains(_ reference: ObjectReference, root: Int) -> Bool {
        known.contains(ObjectReference(key: reference.key, entityIndex: root))
    }

    /// Raises the versions of rows that were updated in this transaction before their deletion.
    mutating func raiseVersions(of references: [ObjectReference]) {
        let touched = Dictionary(grouping: references, by: \.entityIndex).mapValues { Set($0.map(\.key)) }
        for (entityIndex, keys) in touched {
            byEntity[entityIndex] = byEntity[entityIndex]?.map { row in
                keys.contains(row.reference.key) ? Row(reference: row.reference, version: row.version &+ 1) : row
            }
        }
    }
}
