import Query
import RowMemory
import Schema
import Storage

/// The objects of an incremental store during one operation. Each is requested once, when it is
/// needed.
///
/// Invariants:
/// 1. Rows and lists are the store's answers within this operation; they are never changed.
/// 2. Rows have the entity that the store returned, and are identified by primary key in their
///    hierarchy.
final class NodeTable: SelectingTable {
    let shape: TableShape
    let identity: StoreIdentity
    let store: any IncrementalStore
    let context: IncrementalStoreContext
    private var rows: [ObjectReference: Row?] = [:]
    private var lists: [ListPosition: [ObjectReference]] = [:]

    private struct ListPosition: Hashable {
        let relation: Int
        let owner: Int64
    }

    init(_ shape: TableShape, _ store: any IncrementalStore, _ context: IncrementalStoreContext) {
        self.shape = shape
        self.store = store
        self.context = context
        identity = context.identity
    }

    // MARK: Rows

    func row(_ key: Int64, entityIndex: Int) throws -> Row? {
        let place = ObjectReference(key: key, entityIndex: shape.root(of: entityIndex))
        if let known = rows[place] { return known }
        let id = ManagedObjectID(store: identity, entityIndex: entityIndex, key: key)
        guard let node = try store.newValuesForObject(with: id, with: context) else {
            rows[place] = .some(nil)
            return nil
        }
        guard node.objectID == id else { throw damaged("It answers with another object than \(id)", entity: id.entity) }
        return try keep(node)
    }

    private func keep(_ node: IncrementalStoreNode) throws -> Row {
        let reference = try reference(node.objectID, isMember: false)
        let place = ObjectReference(key: reference.key, entityIndex: shape.root(of: reference.entityIndex))
        if let known = rows[place], let row = known { return row }
        let entity = shape.model.entities[reference.entityIndex]
        guard node.version > 0 else { throw damaged("An object has the version \(node.version)", entity: entity) }
        var filler = RowFiller(shape.layouts[entity.index], count: 1)
        let row = filler.append(key: reference.key, version: node.version)
        for (key, value) in node.attributes { try shape.set(value, key, in: row) }
        for (key, target) in node.toOnes { try shape.set(try self.reference(target, isMember: true), key, in: row) }
        rows[place] = row
        return row
    }

    /// The reference for an object ID of the store.
    private func reference(_ id: ManagedObjectID, isMember: Bool) throws -> ObjectReference {
        guard id.store == identity, id.key > 0 else {
            throw damaged("It answers with an object of another store, \(id)", entity: id.entity)
        }
        guard shape.isStored[id.entityIndex] else {
            throw StorageError(
                .incompatibleModel, "The store has objects of an entity \(id.entity.name) that it can't hold",
                entities: [id.entity.name])
        }
        guard isMember || !id.entity.isAbstract else {
            throw damaged("It has an object of the abstract entity \(id.entity.name)", entity: id.entity)
        }
        return ObjectReference(key: id.key, entityIndex: id.entityIndex)
    }

    func damaged(_ what: String, entity: EntityDescription) -> StorageError {
        StorageError(.damaged, "The store can't be read: \(what)", entities: [entity.name])
    }

    // MARK: Members

    func members(of owner: Int64, _ relation: Int) throws -> [ObjectReference] {
        let place = ListPosition(relation: relation, owner: owner)
        if let known = lists[place] { return known }
        let stored = shape.relations[relation]
        guard let relationship = stored.property.relationship else { return [] }
        var entityIndex = stored.entityIndex
        if !(store is any FaultingStore) {
            guard let row = try row(owner, entityIndex: entityIndex) else { return [] }
            entityIndex = row.entityIndex
        }
        let id = ManagedObjectID(store: identity, entityIndex: entityIndex, key: owner)
        let destination = shape.model.entities[stored.destinationIndex]
        var seen: Set<Int64> = []
        var list: [ObjectReference] = []
        for member in try store.newValue(forRelationship: relationship, forObjectWith: id, with: context) {
            let reference = try reference(member, isMember: true)
            guard destination.family.contains(reference.entityIndex) else {
                throw damaged(
                    "\(id.entity.name).\(relationship.name) has a member of the entity \(member.entity.name)",
                    entity: id.entity)
            }
            if seen.insert(reference.key).inserted { list.append(reference) }
        }
        if !stored.isOrdered { list.sort { ($0.entityIndex, $0.key) < ($1.entityIndex, $1.key) } }
        lists[place] = list
        return list
    }

    /// Queries every object that may have the relationship. Only used for relationships whose
    /// inverse does not suffice.
    func allLists(of relation: Int) throws -> [Int64: [ObjectReference]] {
        let owners = try allRows(of: shape.relations[relation].entityIndex)
        var all: [Int64: [ObjectReference]] = [:]
        for owner in owners {
            let list = try members(of: owner.key, relation)
            if !list.isEmpty { all[owner.key] = list }
        }
        return all
    }

    func hasLists(_ relation: Int) -> Bool { true }

    // MARK: Fetching

    /// The objects that the store returns for a request.
    func execute(_ request: IncrementalFetchRequest) throws -> (
        extent: IncrementalFetchResult.Extent, references: [ObjectReference]
    ) {
        let result = try store.execute(request, with: context)
        let family = Set(request.entities.map(\.index))
        for node in result.nodes.values { _ = try keep(node) }
        let references = try result.objectIDs.map { try reference($0, isMember: true) }
        // If the references are not filtered later, they must be correct.
        if result.extent != .candidates, let stranger = references.first(where: { !family.contains($0.entityIndex) }) {
            throw damaged(
                "It answers a fetch of \(request.entity.name) with an object of \(shape.model.entities[stranger.entityIndex].name)",
                entity: request.entity)
        }
        return (result.extent, references)
    }

    /// The objects of an entity and its descendants, ordered by primary key.
    func allRows(of entityIndex: Int, matching predicate: FetchPredicate? = nil) throws -> [Row] {
        let entity = shape.model.entities[entityIndex]
        let found = try execute(
            IncrementalFetchRequest(
                entity: entity, entities: entities(of: entity, includingSubentities: true), predicate: predicate))
        return try rows(found.references, in: entity.family)
    }

    /// The rows of objects that still exist, each once and ordered by primary key.
    func rows(_ references: [ObjectReference], in family: Range<Int>) throws -> [Row] {
        var seen: Set<Int64> = []
        return try references.sorted { $0.key < $1.key }.compactMap { reference in
            guard seen.insert(reference.key).inserted, let row = try row(reference), family.contains(row.entityIndex)
            else { return nil }
            return row
        }
    }

    func entities(of entity: EntityDescription, includingSubentities: Bool) -> [EntityDescription] {
        let wanted = includingSubentities ? entity.family : entity.index..<(entity.index + 1)
        return shape.model.entities[wanted].filter { !$0.isAbstract }
    }

    // MARK: Constraints

    /// The greatest number of candidates to look up with a predicate. For more, everything is read,
    /// because the predicate would be too long.
    private static let greatestAlternativeCount = 50

    func uniqueness(_ constraint: Int, of candidates: [Row]) throws -> UniquenessIndex {
        let rule = shape.constraints[constraint]
        var index = UniquenessIndex(rule)
        let alternatives =
            candidates.count > Self.greatestAlternativeCount
            ? nil : FetchPredicate.any(candidates.map { predicate(rule, $0) })
        let condition = try alternatives?.validated(
            against: shape.model.entities[rule.entityIndex], in: shape.model, store: identity)
        for row in try allRows(of: rule.entityIndex, matching: condition) { index.exchange(old: nil, new: row) }
        return index
    }

    /// A predicate for objects with the same unique values as a row; nil if a predicate can't
    /// express it.
    private func predicate(_ rule: UniquenessConstraint, _ row: Row) -> FetchPredicate? {
        let entity = shape.model.entities[rule.entityIndex]
        var parts: [FetchPredicate] = []
        for slot in rule.slots {
            let property = entity.properties[Int(slot.index)]
            let value: PropertyValue
            switch slot.kind {
            // The caller compares objects that are inserted by the same save.
            case .toOne:
                value =
                    row.reference(slot).map {
                        .object(ManagedObjectID(store: identity, entityIndex: $0.entityIndex, key: $0.key))
                    } ?? .null
            case .int, .bool, .double, .float, .date, .string, .uri, .uuid, .decimal: value = row.value(slot)
            case .data, .large, .boxed, .toMany: return nil
            }
            parts.append(
                .comparison(
                    ComparisonPredicate(.keyPath(base: nil, components: [property.name]), .equal, .constant(value))))
        }
        return .and(parts)
    }
}

extension FetchPredicate {
    /// A disjunction; nil, which matches everything, if one of the alternatives is nil.
    fileprivate static func any(_ alternatives: [FetchPredicate?]) -> FetchPredicate? {
        let known = alternatives.compactMap { $0 }
        return known.count == alternatives.count ? .or(known) : nil
    }
}

extension TableShape {
    /// Sets an attribute in a row to a value from an application's own store.
    func set(_ value: PropertyValue, _ key: String, in row: Row) throws {
        let entity = model.entities[row.entityIndex]
        guard let property = entity.property(named: key), property.attribute != nil else { throw unknown(key, entity) }
        guard property.isStoredInRow else { return }
        guard row.setValue(value, layouts[entity.index].slots[property.index]) else {
            throw StorageError(
                .damaged,
                "The store can't be read: \(key) has a value of another type than the model says (\(entity.name))",
                entities: [entity.name], keys: [key])
        }
    }

    /// Sets a to-one relationship in a row.
    func set(_ target: ObjectReference, _ key: String, in row: Row) throws {
        let entity = model.entities[row.entityIndex]
        guard let property = entity.property(named: key), property.relationship != nil, !property.isToMany else {
            throw unknown(key, entity)
        }
        let slot = layouts[entity.index].slots[property.index]
        try checkReference(to: target.entityIndex, from: slot, of: entity.index)
        row.setReference(target, slot)
    }

    func unknown(_ key: String, _ entity: EntityDescription) -> StorageError {
        StorageError(
            .incompatibleModel,
            "The store has a property \(entity.name).\(key.prefix(100)) that the model does not know",
            entities: [entity.name], keys: [key])
    }
}
