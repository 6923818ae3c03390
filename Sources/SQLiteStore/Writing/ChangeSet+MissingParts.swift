import RowMemory
import Schema
import Storage

extension ChangeSet {
    /// Refuses values that the store has no table or column for, so that none is dropped.
    /// - Throws: `StorageError.unsupported`, naming the property.
    func checkParts(of layout: StoreLayout, _ rowLayouts: [RowLayout]) throws(StorageError) {
        guard !layout.missing.isEmpty else { return }
        for insertions in insertions {
            for index in 0..<insertions.rows.count {
                try Self.check(insertions.rows[index], insertions.entityIndex, nil, layout, rowLayouts)
            }
        }
        for updates in updates {
            for index in 0..<updates.rows.count {
                try Self.check(updates.rows[index], updates.entityIndex, updates.changed[index], layout, rowLayouts)
            }
        }
        for link in links where link.isAdded {
            if let part = layout.missingParts(of: link.entityIndex).first(where: {
                $0.propertyIndex == link.propertyIndex
            }) {
                throw Self.refusal(part, link.entityIndex, layout)
            }
        }
    }

    /// - Parameter changed: the properties to check; nil for all.
    private static func check(
        _ row: Row, _ entityIndex: Int, _ changed: PropertySet?, _ layout: StoreLayout, _ rowLayouts: [RowLayout]
    ) throws(StorageError) {
        let properties = layout.model.entities[entityIndex].properties
        for part in layout.missingParts(of: entityIndex) {
            guard let index = part.propertyIndex, changed?.contains(index) ?? true, !properties[index].isToMany else {
                continue
            }
            let slot = rowLayouts[entityIndex].slots[index]
            let hasValue =
                properties[index].relationship == nil
                ? row.value(slot).part(at: part.path) != .null : row.reference(slot) != nil
            if hasValue { throw refusal(part, entityIndex, layout) }
        }
    }

    private static func refusal(_ part: MissingPart, _ entityIndex: Int, _ layout: StoreLayout) -> StorageError {
        let entity = layout.model.entities[entityIndex]
        let name = part.propertyIndex.map { ([entity.properties[$0].name] + part.path).joined(separator: ".") } ?? ""
        return StorageError(
            .unsupported,
            "The store has no place for values of \(entity.name).\(name): a table or column of its model is missing",
            entities: [entity.name], keys: part.propertyIndex.map { [entity.properties[$0].name] } ?? [])
    }
}
