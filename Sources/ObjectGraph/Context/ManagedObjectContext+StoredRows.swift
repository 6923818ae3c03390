import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// The next save throws the first of these: a value could not be read when it was used, by what can't throw.
    func noteLoadError(_ error: any Error) {
        if loadError == nil { loadError = error }
    }

    /// The rows that the store has now for some objects, in one trip for each hierarchy.
    func storedRows(of ids: [ManagedObjectID]) throws -> [ManagedObjectID: Row] {
        var keys: [Int: [Int64]] = [:]
        for id in ids { if let own = ownReference(of: id) { keys[rootIndex(own.entityIndex), default: []].append(own.key) } }
        var found: [ManagedObjectID: Row] = [:]
        for (root, keys) in keys {
            let rows = try store().rows(RowRequest(entityIndex: root, selection: .keys(keys)))
            for index in 0..<rows.count { found[objectID(key: rows[index].key, entityIndex: rows[index].entityIndex)] = rows[index] }
        }
        return found
    }

    /// What a row says: attributes, and to-one relationships as IDs.
    func snapshot(of row: Row) -> [String: PropertyValue] {
        let shape = shapes[row.entityIndex]
        var snapshot: [String: PropertyValue] = [:]
        for property in shape.entity.properties where !property.isToMany && !property.isTransient {
            snapshot[property.name] = propertyValue(row.slotValue(shape.layout.slots[property.index]))
        }
        return snapshot
    }

    func propertyValue(_ value: SlotValue) -> PropertyValue {
        switch value {
        case .value(let value): value
        case .reference(let reference): reference.map { .object(objectID(key: $0.key, entityIndex: $0.entityIndex)) } ?? .null
        }
    }

    /// Runs `body`, whose changes undo does not know of: they come from the store.
    func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
        let recorded = recordsUndo
        recordsUndo = false
        defer { recordsUndo = recorded }
        return try body()
    }
}
