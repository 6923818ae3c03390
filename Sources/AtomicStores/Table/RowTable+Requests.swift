import Query
import RowMemory
import Schema
import Storage

/// Executes requests: every object is tested, and matching rows are copied.
extension RowTable: SelectingTable {
    func count(_ request: RowRequest) throws -> Int {
        var unordered = request
        unordered.sortKeys = []
        return try select(unordered).count
    }

    func rows(_ request: RowRequest) throws -> RowBatch {
        let request = request.inNumberOrder(shape.model)
        guard request.isForAll else { return RowBatch(copiesOf: try select(request)) }
        var batch = RowBatch()
        forEachRow(of: request.entityIndex, includingSubentities: request.includesSubentities, after: request.after) {
            batch.append(copyOf: $0.cells, $0.layout)
        }
        return batch
    }

    // MARK: Selection

    func select(_ request: RowRequest) throws -> [Row] {
        let request = request.inNumberOrder(shape.model)
        return try finish(matches(request, atMost: Self.enough(request)), request)
    }

    private func matches(_ request: RowRequest, atMost limit: Int?) throws -> [Row] {
        if let limit, limit <= 0 { return [] }
        let excluded = Set(request.excludedKeys)
        var found: [Row] = []
        switch request.selection {
        case .keys(let keys):
            let entity = shape.model.entities[request.entityIndex]
            let wanted = request.includesSubentities ? entity.family : entity.index..<(entity.index + 1)
            let all = hierarchies[entity.rootIndex]
            for key in Set(keys).subtracting(excluded).sorted() {
                guard let row = all[key], wanted.contains(row.entityIndex), row.key > request.after ?? .min else {
                    continue
                }
                found.append(row)
                if found.count == limit { break }
            }
        case .matching(let predicate):
            let test = try predicate.map {
                try CompiledPredicate($0, entity: shape.model.entities[request.entityIndex], model: shape.model)
            }
            do {
                try forEachRow(
                    of: request.entityIndex, includingSubentities: request.includesSubentities, after: request.after
                ) { row in
                    if !excluded.isEmpty, excluded.contains(row.key) { return }
                    if let test, try !test.matches(RowObject(row, in: self)) { return }
                    found.append(row)
                    if found.count == limit { throw LimitReached() }
                }
            } catch is LimitReached {}
        }
        return found
    }

    private struct LimitReached: Error {}

    // MARK: Verification

    func danglingReferences(atMost limit: Int) -> [(object: ManagedObjectID, property: String, target: ManagedObjectID)]
    {
        var found: [(object: ManagedObjectID, property: String, target: ManagedObjectID)] = []
        for hierarchy in hierarchies {
            hierarchy.forEach { row in
                guard found.count < limit else { return }
                for slot in shape.storedSlots[row.entityIndex] where slot.kind == .toOne {
                    guard let target = row.reference(slot), self.row(target) == nil else { continue }
                    found.append(
                        (
                            ManagedObjectID(store: identity, entityIndex: row.entityIndex, key: row.key),
                            shape.model.entities[row.entityIndex].properties[Int(slot.index)].name,
                            ManagedObjectID(store: identity, entityIndex: target.entityIndex, key: target.key)
                        ))
                }
            }
        }
        for lost in lostMembers.prefix(max(0, limit - found.count)) {
            let relation = shape.relations[lost.relation]
            let owner = row(lost.owner, entityIndex: relation.entityIndex)?.entityIndex ?? relation.entityIndex
            found.append(
                (
                    ManagedObjectID(store: identity, entityIndex: owner, key: lost.owner),
                    relation.property.name,
                    ManagedObjectID(store: identity, entityIndex: lost.member.entityIndex, key: lost.member.key)
                ))
        }
        return found
    }

    // MARK: Explanation

    func explanation(of request: RowRequest) -> QueryExplanation {
        let entity = shape.model.entities[request.entityIndex]
        let all = hierarchies[entity.rootIndex].count
        var plan: [String] = []
        switch request.selection {
        case .keys: plan.append("SEARCH \(entity.name) BY KEY")
        case .matching(let predicate):
            plan.append("SCAN all \(all) objects of the hierarchy of \(entity.name) in memory")
            if predicate != nil { plan.append("TEST the predicate on each object") }
        }
        if !request.sortKeys.isEmpty { plan.append("SORT what fits") }
        return QueryExplanation(statement: request.statementInMemory(entity), arguments: [], plan: plan)
    }
}

extension RowRequest {
    /// The request without its sort keys, if the requested order is that of the rows: by primary
    /// key, for objects of one entity.
    fileprivate func inNumberOrder(_ model: ManagedObjectModel) -> RowRequest {
        guard let first = sortKeys.first, first.ordersObjects, first.isAscending,
            !includesSubentities || model.entities[entityIndex].family.count == 1
        else { return self }
        var request = self
        request.sortKeys = []
        return request
    }

    /// Whether every object is requested, from the beginning and in primary key order.
    fileprivate var isForAll: Bool {
        guard case .matching(nil) = selection else { return false }
        return sortKeys.isEmpty && excludedKeys.isEmpty && limit == nil && offset <= 0
    }

    /// A description of the request for display.
    func statementInMemory(_ entity: EntityDescription) -> String {
        var statement = "FILTER \(entity.name) IN MEMORY"
        switch selection {
        case .keys(let keys): statement += " BY \(keys.count) KEYS"
        case .matching(let predicate): if let predicate { statement += " WHERE \(predicate.predicateFormat)" }
        }
        if !sortKeys.isEmpty {
            statement +=
                " ORDER BY " + sortKeys.map { $0.keyPath + ($0.isAscending ? "" : " DESC") }.joined(separator: ", ")
        }
        if let limit { statement += " LIMIT \(limit)" }
        if offset > 0 { statement += " OFFSET \(offset)" }
        return statement
    }
}
