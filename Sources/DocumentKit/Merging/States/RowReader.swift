internal import RowMemory
internal import Schema
internal import Storage

/// Reads rows of ours by their keys.
final class RowReader {
    let store: any StoreBackend

    /// Of more keys all rows are read in their order, which costs less than finding each.
    private static let mostSought = 16_384

    init(_ store: any StoreBackend) { self.store = store }

    /// An attribute by its number; null if there is no such object.
    func attribute(_ property: Int, of name: MergeName, _ names: MergedNames) throws -> PropertyValue {
        let entity = names.schema[name.entity]
        let rows = try store.rows(RowRequest(entityIndex: entity.index, selection: .keys([names.number(of: name)])))
        return rows.count == 1 ? rows[0].value(rows[0].layout.slots[entity.properties[property].index]) : .null
    }

    /// Which of some keys of a hierarchy are taken.
    func taken(_ numbers: [Int64], root: EntityDescription) throws -> Set<Int64> {
        var taken: Set<Int64> = []
        guard numbers.count <= Self.mostSought else {
            var known = KnownKeys(), sought = numbers.sorted()[...]
            for number in numbers { known.insert(number) }
            taken.reserveCapacity(numbers.count)
            try store.forEachKey(root, known) { key in
                sought = sought.drop { $0 < key }
                if sought.first == key { taken.insert(key) }
            }
            return taken
        }
        for start in stride(from: 0, to: numbers.count, by: 2048) {
            let some = Array(numbers[start..<min(start + 2048, numbers.count)])
            let rows = try store.rows(RowRequest(entityIndex: root.index, selection: .keys(some)))
            for index in 0..<rows.count { taken.insert(rows[index].key) }
        }
        return taken
    }
}
