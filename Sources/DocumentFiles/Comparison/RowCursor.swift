internal import Query
package import RowMemory
package import Schema
package import Storage

/// Iterates over the rows of an entity by ascending primary key, with the members of some of their
/// relationships. Rows are read in batches.
package final class RowCursor {
    package let identity: StoreIdentity
    private let source: any RowStore
    private let entity: EntityDescription?
    private let memberProperties: [Int]
    private var rows = RowBatch()
    private var members: [Int: [[ObjectReference]]] = [:]
    private var index = -1
    private var isLast = false
    /// The primary key after which the rows begin.
    private let start: Int64?
    /// The keys of the rows that are read, ascending; nil for all rows.
    private let keys: [Int64]?
    /// The number of keys that were read.
    private var keyCount = 0
    private let batchSize: Int
    /// What the state that this one is compared with calls objects; nil where the two agree.
    let numbering: StateNumbering?

    /// - Parameters:
    ///   - source: The store with this identity, or a snapshot of it.
    ///   - entity: The entity; nil if the store does not contain it, so that there are no rows.
    ///   - members: The indexes of the to-many relationships whose members are read.
    ///   - keys: The keys of the rows that are read, ascending; nil for all rows.
    package init(
        _ source: any RowStore, _ identity: StoreIdentity, _ entity: EntityDescription?, members: [Int],
        after start: Int64? = nil, keys: [Int64]? = nil,
        batchSize: Int? = nil, numbering: StateNumbering? = nil
    ) {
        self.batchSize = batchSize ?? 2048
        self.numbering = numbering
        self.source = source
        self.identity = identity
        self.start = start
        self.keys = keys
        self.entity = entity
        memberProperties = members
        isLast = entity == nil
    }

    /// What the state that this one is compared with calls an object.
    func canonicalKey(_ reference: ObjectReference) -> Int64 {
        guard let numbering else { return reference.key }
        let entities = identity.model.entities
        return numbering.canonical(
            reference.key, root: entities[entities[reference.entityIndex].rootIndex].name)
    }

    /// The primary key of the current row; nil after the last row.
    package var key: Int64? { index >= 0 && index < rows.count ? rows[index].key : nil }
    package var row: Row { rows[index] }

    package func members(_ propertyIndex: Int) -> [ObjectReference] { members[propertyIndex]?[index] ?? [] }

    /// Moves to the next row; the first call moves to the first row.
    package func advance() throws {
        index += 1
        if index >= rows.count, !isLast { try load() }
    }

    /// Whether a to-one relationship of another object points to the current row. Costs a read of
    /// that object.
    func isTarget(of relationship: String, ofObject entityName: String, _ key: Int64) throws -> Bool {
        guard let entity, let other = identity.model.entity(named: entityName),
            let property = other.property(named: relationship), !property.isToMany
        else { return false }
        let found = try source.rows(RowRequest(entityIndex: other.index, selection: .keys([key])))
        guard !found.isEmpty else { return false }
        return found[0].reference(found[0].layout.slots[property.index])
            == ObjectReference(key: row.key, entityIndex: entity.index)
    }

    private func load() throws {
        guard let entity else { return }
        if let keys {
            repeat {
                let part = Array(keys[keyCount...].prefix(batchSize))
                keyCount += part.count
                rows = part.isEmpty ? RowBatch() : try source.rows(.rows(of: entity.index, part))
                isLast = keyCount == keys.count
            } while rows.isEmpty && !isLast
        } else {
            let last = rows.isEmpty ? start : rows[rows.count - 1].key
            rows = try source.rows(.part(of: entity.index, after: last, limit: batchSize))
            isLast = rows.count < batchSize
        }
        index = 0
        let owners = (0..<rows.count).map { rows[$0].key }
        for property in memberProperties {
            members[property] = try source.related(
                entityIndex: entity.index, propertyIndex: property, owners: owners, includingRows: false
            ).members
        }
    }
}

extension RowRequest {
    /// The objects of one entity with some keys, in the order of the keys.
    fileprivate static func rows(of entityIndex: Int, _ keys: [Int64]) -> RowRequest {
        RowRequest(
            entityIndex: entityIndex, includesSubentities: false, selection: .keys(keys), sortKeys: [.objectID])
    }
}
