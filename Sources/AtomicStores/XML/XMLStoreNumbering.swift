import Coding
import RowMemory
import Schema
import Storage

/// Which numbers objects have in an XML file. They are those of the objects, unless objects of two
/// hierarchies share one: then each hierarchy's are moved behind those of the one before.
struct XMLStoreNumbering {
    private var offsets: [Int64]
    private let rootIndices: [Int]
    private let rootNames: [String]
    private let nextNumber: Int64
    /// The next number in the file.
    private(set) var next: Int64
    private(set) var isMoved: Bool

    /// For writing.
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
            // The sum of greatest numbers can't be reached by counting; a file that has such
            // numbers gets what fits.
            last = last.addingReportingOverflow(table.hierarchies[root].greatestKey).partialValue
        }
        next = last &+ 1
    }

    /// For reading.
    /// - Throws: `StorageError.damaged` if the metadata say what can't be.
    init(_ shape: TableShape, next: Int64, _ metadata: StoreMetadata) throws(StorageError) {
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
            guard let entity = shape.model.entity(named: name), let offset = value.integer, offset >= 0 else {
                throw StorageError(.damaged, "The store's metadata move the numbers of \(name), which can't be")
            }
            offsets[entity.rootIndex] = offset
        }
        nextNumber = moved[""]?.integer ?? 1
        isMoved = true
        self.offsets = offsets
    }

    /// The number that the next new object gets in the store, whatever it will be in the file.
    var nextObjectNumber: Int64 { nextNumber }

    /// What the metadata have to say, nil if nothing is moved.
    var metadata: PropertyListValue? {
        guard isMoved else { return nil }
        var pairs: [String: PropertyListValue] = ["": .integer(nextNumber)]
        for (index, offset) in offsets.enumerated() where offset > 0 { pairs[rootNames[index]] = .integer(offset) }
        return .dictionary(pairs)
    }

    /// The number in the file of an object.
    func number(_ key: Int64, entityIndex: Int) -> Int64 { key &+ offsets[rootIndices[entityIndex]] }

    /// The object's own number, nil if it can't be.
    func key(_ number: Int64, entityIndex: Int) -> Int64? {
        let key = number &- offsets[rootIndices[entityIndex]]
        return key > 0 && key < .max ? key : nil
    }

    /// Calls `body` with all objects in the order of their numbers in the file.
    func forEachRowInOrder(of table: RowTable, _ body: (Row) throws -> Void) rethrows {
        let used = table.hierarchies.filter { $0.count > 0 }
        // Where there is one hierarchy they are in order.
        if used.count == 1 { return try used[0].forEach(body) }
        var rows: [(Int64, Row)] = []
        for hierarchy in table.hierarchies {
            hierarchy.forEach { rows.append((number($0.key, entityIndex: $0.entityIndex), $0)) }
        }
        for (_, row) in rows.sorted(by: { $0.0 < $1.0 }) { try body(row) }
    }
}
