package import Folio
package import RowMemory

/// The related objects of some rows of one entity, read with one request per relationship.
package struct RelatedRows {
    private var membersByProperty: [Int: [[ObjectReference]]] = [:]
    /// References without a row.
    private var dangling: Set<ObjectReference> = []
    /// How many references of the rows have no row.
    private(set) var danglingCount = 0

    /// - Parameters:
    ///   - rows: Rows of `entity` itself, without sub-entities.
    ///   - omitsDangling: Whether references without a row are left out; otherwise they are shown
    ///     as they are.
    package init(
        _ rows: RowBatch, entity: EntityDescription, layout: RowLayout, in store: any RowStore, omitsDangling: Bool
    ) throws {
        let owners = (0..<rows.count).map { rows[$0].key }
        var targets: [Int: Set<Int64>] = [:]
        for property in entity.properties where property.relationship != nil && !property.isTransient {
            if property.isToMany {
                membersByProperty[property.index] =
                    try store.related(
                        entityIndex: entity.index, propertyIndex: property.index, owners: owners, includingRows: false
                    ).members
            } else if omitsDangling {
                let slot = layout.slots[property.index]
                for index in 0..<rows.count {
                    if let reference = rows[index].reference(slot) {
                        targets[reference.entityIndex, default: []].insert(reference.key)
                    }
                }
            }
        }
        for (entityIndex, keys) in targets {
            dangling.formUnion(try Self.dangling(Array(keys), entityIndex, in: store))
        }
        guard !dangling.isEmpty else { return }
        for property in entity.properties where property.relationship != nil && !property.isToMany {
            guard !property.isTransient else { continue }
            for index in 0..<rows.count {
                if let reference = rows[index].reference(layout.slots[property.index]), dangling.contains(reference) {
                    danglingCount += 1
                }
            }
        }
    }

    private static func dangling(_ keys: [Int64], _ entityIndex: Int, in store: any RowStore) throws
        -> [ObjectReference]
    {
        let request = RowRequest(entityIndex: entityIndex, selection: .keys(keys))
        // Usually all rows exist, and counting them is fast.
        if try store.count(request) == keys.count { return [] }
        let found = try store.rows(request)
        let known = Set((0..<found.count).map { found[$0].key })
        return keys.filter { !known.contains($0) }.map { ObjectReference(key: $0, entityIndex: entityIndex) }
    }

    /// The members of a to-many relationship of the row at `index`.
    package func members(_ propertyIndex: Int, at index: Int) -> [ObjectReference] {
        membersByProperty[propertyIndex]?[index] ?? []
    }

    /// The object of a to-one relationship of `row`; nil if there is none or its row does not
    /// exist.
    package func target(_ row: Row, _ slot: RowSlot) -> ObjectReference? {
        guard let reference = row.reference(slot), !dangling.contains(reference) else { return nil }
        return reference
    }
}
