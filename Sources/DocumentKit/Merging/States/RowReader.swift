internal import RowMemory
internal import Schema
internal import Storage

/// Reads rows of ours by their keys.
final class RowReader {
    let store: any StoreBackend

    /// Of more keys all rows are read in their order, which costs less than finding each.
    private static let mostSought = 16_384

    init(_ store: any StoreBackend) { self.store = store }

    func attribute(_ property: String, of entityName: String, _ number: Int64) throws -> PropertyValue {
        guard let entity = store.identity.model.entity(named: entityName),
            let found = entity.property(named: property), found.attribute != nil
        else { return .null }
        let rows = try store.rows(RowRequest(entityIndex: entity.index, selection: .keys([number])))
        guard rows.count == 1 else { return .null }
        return rows[0].value(rows[0].layout.slots[found.index])
    }

    /// Which of some keys of a hierarchy are taken.
    func taken(_ numbers: [Int64], root: EntityDescription) throws -> Set<Int64> {
        var taken: Set<Int64> = []
        guard numbers.count <= Self.mostSought else {
            let sought = Set(numbers)
            try store.forEachKey(root) { if sought.contains($0) { taken.insert($0) } }
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
