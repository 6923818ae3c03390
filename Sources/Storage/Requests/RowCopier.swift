import RowMemory
import Schema

/// Copies the rows of a store into a new store through the ``StoreBackend`` interface. Primary keys
/// are kept. Versions start again at 1, unless they are to be kept.
package struct RowCopier {
    private let source: any StoreBackend
    private let target: any StoreBackend
    private let progress: (Int) throws -> Void
    private let keepsVersions: Bool
    private var model: ManagedObjectModel { source.identity.model }

    /// The number of rows in one transaction: a compromise between memory and speed.
    private static let batchSize = 10_000

    /// - Parameters:
    ///   - keepsVersions: Whether rows keep their versions, for contexts that have read them.
    ///   - progress: Called with the number of rows that were read since the last call. An error
    ///     that it throws ends the copying.
    package init(
        from source: any StoreBackend, to target: any StoreBackend, keepsVersions: Bool = false,
        progress: @escaping (Int) throws -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.progress = progress
        self.keepsVersions = keepsVersions
    }

    /// Copies all rows first, so that both ends of every link exist.
    package func copy() throws {
        let roots = Set((model.entities(inConfiguration: source.description.configuration) ?? []).map(\.rootIndex))
        let held = model.entities.filter { roots.contains($0.rootIndex) }
        var counts: [Int: (read: Int, before: Int)] = [:]
        for root in roots {
            counts[root] = (0, try target.count(RowRequest(entityIndex: root)))
        }
        // Another program may have given rows the number of an abstract entity.
        for entity in held { counts[entity.rootIndex]?.read += try copyRows(of: entity) }
        for (root, count) in counts.sorted(by: { $0.key < $1.key }) {
            try check(root, read: count.read, written: target.count(RowRequest(entityIndex: root)) - count.before)
        }
        for entity in held {
            for property in entity.properties
            where property.declaringEntityIndex == entity.index && property.isToMany && !property.isTransient
                && roots.contains(model.entities[property.destinationIndex].rootIndex)
            {
                try copyMembers(of: property, entity)
            }
        }
    }

    /// Checks that each row that the source has was read and is in the target.
    private func check(_ rootIndex: Int, read: Int, written: Int) throws {
        let stored = try source.storedRowCount(rootIndex: rootIndex), name = model.entities[rootIndex].name
        guard stored == read else { throw StorageError(rowsOf: name, stored: stored, read: read) }
        guard written == read else {
            throw StorageError(.damaged, "Of \(read) objects of \(name) that were read \(written) were written")
        }
    }

    private func copyRows(of entity: EntityDescription) throws -> Int {
        var count = 0
        try forEachBatch(of: entity, includingSubentities: false) { rows in
            count += rows.count
            var changes = ChangeSet()
            changes.keepsVersions = keepsVersions
            changes.insertions = [ChangeSet.Insertions(entityIndex: entity.index, rows: rows)]
            _ = try target.apply(changes)
        }
        return count
    }

    /// Copies the parts of a relationship that are not in rows: many-to-many links and orders.
    private func copyMembers(of property: PropertyDescription, _ entity: EntityDescription) throws {
        let inverse = model.inverse(of: property)
        let isLinked = inverse.map { $0.isToMany } ?? true
        let isOwnInverse =
            inverse.map { $0.declaringEntityIndex == property.declaringEntityIndex && $0.index == property.index }
            ?? false
        let isNamedHere =
            inverse.map { (property.declaringEntityIndex, property.index) <= ($0.declaringEntityIndex, $0.index) }
            ?? true
        let isOrdered = property.relationship?.isOrdered ?? false
        guard isLinked && isNamedHere || isOrdered else { return }
        try forEachBatch(of: entity, includingSubentities: true) { rows in
            let owners = (0..<rows.count).map { rows[$0].key }
            let related = try source.related(
                entityIndex: entity.index, propertyIndex: property.index, owners: owners, includingRows: false)
            var changes = ChangeSet()
            for (owner, members) in zip(owners, related.members) where !members.isEmpty {
                if isLinked, isNamedHere {
                    for member in members where !isOwnInverse || owner <= member.key {
                        changes.links.append(
                            ChangeSet.Link(
                                entityIndex: entity.index, propertyIndex: property.index, owner: owner, member: member,
                                isAdded: true))
                    }
                }
                if isOrdered {
                    changes.orders.append(
                        ChangeSet.Order(
                            entityIndex: entity.index, propertyIndex: property.index, owner: owner, members: members))
                }
            }
            if !changes.isEmpty { _ = try target.apply(changes) }
        }
    }

    private func forEachBatch(
        of entity: EntityDescription, includingSubentities: Bool, _ body: (RowBatch) throws -> Void
    ) throws {
        var last: Int64?
        while true {
            let rows = try source.rows(
                .part(of: entity.index, includesSubentities: includingSubentities, after: last, limit: Self.batchSize))
            if rows.isEmpty { return }
            try progress(rows.count)
            try body(rows)
            if rows.count < Self.batchSize { return }
            last = rows[rows.count - 1].key
        }
    }
}

extension StoreBackend {
    /// Checks that all rows are objects, so that reading all objects leaves none behind.
    /// - Returns: The number of objects.
    /// - Throws: `StorageError` `damaged` if a hierarchy has rows of none of its entities; errors
    ///   of reading the store.
    @discardableResult
    package func checkRowCounts() throws -> Int {
        var total = 0
        let model = identity.model
        let roots = Set((model.entities(inConfiguration: description.configuration) ?? []).map(\.rootIndex))
        for root in roots.sorted() {
            let stored = try storedRowCount(rootIndex: root), read = try count(RowRequest(entityIndex: root))
            guard stored == read else {
                throw StorageError(rowsOf: model.entities[root].name, stored: stored, read: read)
            }
            total += stored
        }
        return total
    }
}

extension StorageError {
    /// Rows of a hierarchy that are objects of none of its entities, and would be lost in a copy.
    package init(rowsOf name: String, stored: Int, read: Int) {
        let lost = stored - read
        self.init(
            .damaged,
            lost > 0
                ? "Of \(stored) rows of \(name) \(lost == 1 ? "one is" : "\(lost) are") of no entity of the model, or without a valid primary key, and would be lost; verify --deep names them"
                : "\(read) objects of \(name) were read, and the store has \(stored) rows")
    }
}
