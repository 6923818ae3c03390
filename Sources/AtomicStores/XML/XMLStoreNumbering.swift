import Coding
import RowMemory
import Schema
import Storage

/// The numbers of objects in an XML file. They are the primary keys, unless objects of two
/// hierarchies have the same key: then the numbers of each hierarchy are shifted beyond those of
/// the previous one.
struct XMLStoreNumbering {
    private var offsets: [Int64]
    private let rootIndices: [Int]
    private let rootNames: [String]
    private let nextNumber: Int64
    /// The next number in the file.
    private(set) var next: Int64
    private(set) var isMoved: Bool

    /// The numbering for writing a table.
    init(_ table: RowTable) {
        let model = table.shape.model
        rootIndices = model.entities.map(\.rootIndex)
        rootNames = model.entities.map(\.name)
        offsets = Array(repeating: 0, count: model.entities.count)
        nextNumber = table.numbers.next(root: 0)
        next = nextNumber

        var seen: Set<Int64> = []
        var isMoved = false
        let used = table.hierarchies.indices.filter { table.hierarchies[$0].count > 0 }
        if used.count > 1 {
            for root in used { table.hierarchies[root].forEach { if !seen.insert($0.key).inserted { isMoved = true } } }
        }
        self.isMoved = isMoved
        guard isMoved else { return }
        var last: Int64 = 0
        for root in used {
            offsets[root] = last
            // The sum of the greatest keys only overflows for a file with extremely large keys; the
            // offset is then truncated.
            last = last.addingReportingOverflow(table.hierarchies[root].greatestKey).partialValue
        }
        next = last &+ 1
    }

    /// The numbering for reading a file.
    /// - Throws: `StorageError.damaged` if the metadata are invalid.
    init(_ shape: TableShape, next: Int64, _ metadata: StoreMetadata, ignoringUnknown ignoresUnknown: Bool)
        throws(StorageError)
    {
        rootIndices = shape.model.entities.map(\.rootIndex)
        rootNames = shape.model.entities.map(\.name)
        var offsets: [Int64] = Array(repeating: 0, count: shape.model.entities.count)
        self.next = next
        guard let moved = metadata.values[StoreMetadata.Key.numberOffsets]?.dictionary else {
            nextNumber = next
            isMoved = false
            self.offsets = offsets
            return
        }
        for (name, value) in moved where !name.isEmpty {
            if ignoresUnknown, shape.model.entity(named: name) == nil { continue }
            guard let entity = shape.model.entity(named: name), let offset = value.integer, offset >= 0 else {
                throw StorageError(.damaged, "The store's metadata move the numbers of \(name), which can't be")
            }
            offsets[entity.rootIndex] = offset
        }
        nextNumber = moved[""]?.integer ?? 1
        isMoved = true
        self.offsets = offsets
    }

    /// The primary key of the next new object in the store, regardless of its number in the file.
    var nextObjectNumber: Int64 { nextNumber }

    /// The value for the metadata; nil if no numbers are shifted.
    var metadata: PropertyListValue? {
        guard isMoved else { return nil }
        var pairs: [String: PropertyListValue] = ["": .integer(nextNumber)]
        for (index, offset) in offsets.enumerated() where offset > 0 { pairs[rootNames[index]] = .integer(offset) }
        return .dictionary(pairs)
    }

    /// The number of an object in the file.
    func number(_ key: Int64, entityIndex: Int) -> Int64 { key &+ offsets[rootIndices[entityIndex]] }

    /// The primary key of an object; nil if it is invalid.
    func key(_ number: Int64, entityIndex: Int) -> Int64? {
        let key = number &- offsets[rootIndices[entityIndex]]
        return key > 0 && key < .max ? key : nil
    }

    /// Calls `body` with all objects in the order of their numbers in the file.
    func forEachRowInOrder(of table: RowTable, _ body: (Row) throws -> Void) rethrows {
        let used = table.hierarchies.filter { $0.count > 0 }
        // The rows of a single hierarchy are already in order.
        if used.count == 1 { return try used[0].forEach(body) }
        var rows: [(Int64, Row)] = []
        for hierarchy in table.hierarchies {
            hierarchy.forEach { rows.append((number($0.key, entityIndex: $0.entityIndex), $0)) }
        }
        for (_, row) in rows.sorted(by: { $0.0 < $1.0 }) { try body(row) }
    }
}
