import Query
import RowMemory
import Schema
import Storage

/// The stores of a coordinator, combined into one store for its contexts.
///
/// Invariants:
/// 1. Contexts use the primary keys of ``StoreKey``; each store uses its own.
/// 2. Object IDs in predicates and errors are those of the stores.
final class StoreUnion: RowStore, Sendable {
    let members: [StoreMember]
    let shapes: ContiguousArray<EntityShape>
    /// Metadata to write with the next save, by the UUID of the store.
    let pendingMetadata: [String: [String: MetadataValue?]]

    init(
        _ members: [StoreMember], _ shapes: ContiguousArray<EntityShape>,
        pendingMetadata: [String: [String: MetadataValue?]]
    ) {
        self.members = members
        self.shapes = shapes
        self.pendingMetadata = pendingMetadata
    }

    // MARK: Reading

    /// The stores that a request concerns, and the request for each.
    /// - Throws: `StorageError` with code `unsupported` if no store contains the entity.
    private func parts(of request: RowRequest) throws -> [(member: StoreMember, request: RowRequest)] {
        let entity = shapes[request.entityIndex].entity
        guard members.contains(where: { $0.holdsRoot[entity.rootIndex] }) else {
            throw StorageError(
                .unsupported, "No store of the coordinator holds objects of the entity \(entity.name)",
                entities: [entity.name])
        }
        return members.compactMap { member in member.request(request, root: entity.rootIndex).map { (member, $0) } }
    }

    /// The UUIDs of the stores that a request concerns, in the order of the stores.
    func storeUUIDs(for request: RowRequest) throws -> [String] { try parts(of: request).map(\.member.uuid) }

    func rows(_ request: RowRequest) throws -> RowBatch {
        let parts = try parts(of: request)
        if let part = parts.first, parts.count == 1 {
            return try part.member.lift(part.member.store.rows(part.request), shapes)
        }
        guard request.sortKeys.isEmpty || request.limit == nil && request.offset == 0 else {
            throw QueryError(.unsupported, "Rows of several stores have no common order before they are objects")
        }
        var left = request.limit, skipped = request.offset
        var all = RowBatch()
        for (member, request) in parts {
            var request = request
            request.offset = 0
            request.limit = left.map { $0.addingReportingOverflow(skipped) }.flatMap {
                $0.overflow ? nil : $0.partialValue
            }
            let rows = try member.lift(member.store.rows(request), shapes)
            for index in min(skipped, rows.count)..<rows.count where left != 0 {
                _ = all.append(copyOf: rows[index])
                left = left.map { $0 - 1 }
            }
            skipped = max(0, skipped - rows.count)
            if left == 0 { break }
        }
        return all
    }

    func selection(_ request: RowRequest, known: KnownKeys) throws -> RowSelection {
        let parts = try parts(of: request)
        guard let part = parts.first, parts.count == 1, part.member.place == 0 else {
            return RowSelection(rows: try rows(request))
        }
        return try part.member.store.selection(part.request, known: known)
    }

    func references(_ request: RowRequest) throws -> [ObjectReference]? {
        let parts = try parts(of: request)
        guard let part = parts.first, parts.count == 1 else { return nil }
        return try part.member.store.references(part.request)?.map { try part.member.lift($0) }
    }

    func count(_ request: RowRequest) throws -> Int {
        let parts = try parts(of: request)
        if let part = parts.first, parts.count == 1 { return try part.member.store.count(part.request) }
        var all = request
        (all.offset, all.limit, all.sortKeys) = (0, nil, [])
        let total = try self.parts(of: all).reduce(0) { try $0 + $1.member.store.count($1.request) }
        let rest = max(0, total - request.offset)
        return request.limit.map { min($0, rest) } ?? rest
    }

    func answerablePart(of request: RowRequest) throws -> RowRequest {
        let parts = try parts(of: request)
        guard let part = parts.first, parts.count == 1,
            case .matching(let predicate) = try part.member.store.answerablePart(of: part.request).selection
        else {
            return request.selectingMore(nil)
        }
        return request.selectingMore(predicate)
    }

    func table(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]] {
        let parts = try parts(of: request)
        guard let part = parts.first, parts.count == 1 else {
            throw QueryError(.unsupported, "Rows of values are made by one store")
        }
        return try part.member.store.table(table, of: part.request)
    }

    func related(entityIndex: Int, propertyIndex: Int, owners: [Int64], includingRows: Bool) throws -> RelatedBatch {
        var result = RelatedBatch(members: owners.map { _ in [] })
        for member in members {
            let places = owners.indices.filter { owners[$0] > 0 && StoreKey.place(of: owners[$0]) == member.place }
            guard !places.isEmpty else { continue }
            let related = try member.store.related(
                entityIndex: entityIndex, propertyIndex: propertyIndex,
                owners: places.map { StoreKey.local(owners[$0]) }, includingRows: includingRows)
            for (place, list) in zip(places, related.members) {
                result.members[place] = try list.map { try member.lift($0) }
            }
            let rows = try member.lift(related.rows, shapes)
            for index in 0..<rows.count { _ = result.rows.append(copyOf: rows[index]) }
        }
        return result
    }

    // MARK: Writing

    /// The store for new objects of an entity that are not assigned to a store: the first writable
    /// store that contains the entity.
    func homeStore(of entityIndex: Int) throws -> StoreMember {
        let entity = shapes[entityIndex].entity
        let holders = members.filter { $0.holdsRoot[entity.rootIndex] }
        if let home = holders.first(where: { !$0.isReadOnly }) { return home }
        throw holders.isEmpty
            ? StorageError(
                .unsupported, "No store of the coordinator holds objects of the entity \(entity.name)",
                entities: [entity.name])
            : StorageError(
                .readOnly, "Every store that holds objects of the entity \(entity.name) is open for reading only",
                entities: [entity.name])
    }

    func member(at place: Int) -> StoreMember? { members.first { $0.place == place } }

    func reserveKeys(entityIndex: Int, count: Int) throws -> Int64 {
        try reserveKeys(entityIndex: entityIndex, count: count, in: try homeStore(of: entityIndex))
    }

    func reserveKeys(entityIndex: Int, count: Int, in member: StoreMember) throws -> Int64 {
        let first = try member.store.reserveKeys(entityIndex: entityIndex, count: count)
        _ = try member.lift(first + Int64(count))
        return try member.lift(first)
    }

    /// Lets each store write its part, and commit after all others have written. If one of them
    /// fails, all are unchanged.
    func apply(_ changes: ChangeSet) throws -> SaveReceipt {
        let division = try ChangeDivision(changes, self)
        var receipts = [SaveReceipt](repeating: SaveReceipt(keys: []), count: division.parts.count)
        func write(_ index: Int) throws {
            guard index < division.parts.count else { return }
            let part = division.parts[index]
            receipts[index] = try part.member.store.apply(part.changes) { try write(index + 1) }
        }
        try write(0)
        return try division.receipt(receipts, shapes)
    }
}
