import Query
import RowMemory
import Schema
import Storage

/// Executes requests: the store returns candidates, and the remaining work is done here.
extension NodeTable {
    func count(_ request: RowRequest) throws -> Int {
        var request = request
        request.sortKeys = []
        guard case .matching(let predicate) = request.selection, request.excludedKeys.isEmpty, request.after == nil
        else { return try select(request).count }
        if let store = store as? any FaultingStore {
            return try store.count(fetchRequest(request, predicate), with: context)
        }
        let found = try execute(fetchRequest(request, predicate))
        switch found.extent {
        case .complete: return Set(found.references).count
        case .matching: return Self.window(Array(Set(found.references)), request).count
        case .candidates: return try finish(found.references, .candidates, request, predicate).count
        }
    }

    // MARK: Selection

    private func fetchRequest(_ request: RowRequest, _ predicate: FetchPredicate?) -> IncrementalFetchRequest {
        let entity = shape.model.entities[request.entityIndex]
        // The store knows neither the excluded objects nor Folio's primary keys, so it must not
        // apply the offset and limit then.
        let isWhole = request.excludedKeys.isEmpty && request.after == nil && !request.isByNumber
        return IncrementalFetchRequest(
            entity: entity, entities: entities(of: entity, includingSubentities: request.includesSubentities),
            predicate: predicate, sortKeys: request.sortKeys.filter { !$0.ordersObjects },
            fetchOffset: isWhole ? max(0, request.offset) : 0, fetchLimit: isWhole ? request.limit : nil)
    }

    /// The objects of a request without their values; nil if they have to be read to tell.
    func references(_ request: RowRequest) throws -> [ObjectReference]? {
        guard store is any FaultingStore, case .matching(let predicate) = request.selection,
            request.excludedKeys.isEmpty, request.after == nil, !request.isByNumber
        else { return nil }
        if let limit = request.limit, limit <= 0 { return [] }
        return try execute(fetchRequest(request, predicate)).references
    }

    func select(_ request: RowRequest) throws -> [Row] {
        switch request.selection {
        case .keys(let keys):
            return try finish(
                keys.map { ObjectReference(key: $0, entityIndex: request.entityIndex) }, .candidates, request, nil)
        case .matching(let predicate):
            if let limit = request.limit, limit <= 0 { return [] }
            let found = try execute(fetchRequest(request, predicate))
            return try finish(found.references, found.extent, request, predicate)
        }
    }

    private func finish(
        _ references: [ObjectReference], _ extent: IncrementalFetchResult.Extent, _ request: RowRequest,
        _ predicate: FetchPredicate?
    ) throws -> [Row] {
        let entity = shape.model.entities[request.entityIndex]
        let excluded = Set(request.excludedKeys)
        if extent == .complete, request.after == nil, !request.isByNumber {
            let rows = try references.compactMap { excluded.contains($0.key) ? nil : try row($0) }
            return excluded.isEmpty ? rows : Self.window(rows, request)
        }
        let family = request.includesSubentities ? entity.family : entity.index..<(entity.index + 1)
        var test: CompiledPredicate?
        if extent == .candidates, let predicate {
            test = try CompiledPredicate(predicate, entity: entity, model: shape.model)
        }
        let enough = Self.enough(request), after = request.after ?? 0
        var found: [Row] = []
        var seen = excluded
        for reference in references.sorted(by: { $0.key < $1.key })
        where reference.key > after && seen.insert(reference.key).inserted {
            if let enough, found.count >= enough { break }
            guard let row = try row(reference), family.contains(row.entityIndex) else { continue }
            if let test, try !test.matches(RowObject(row, in: self)) { continue }
            found.append(row)
        }
        return try finish(found, request)
    }

    // MARK: Explanation

    func explanation(of request: RowRequest) -> QueryExplanation {
        let entity = shape.model.entities[request.entityIndex]
        let type = Swift.type(of: store).storeType.rawValue
        var plan: [String] = []
        switch request.selection {
        case .keys: plan.append("ASK the store of type \(type) for each object")
        case .matching(let predicate):
            plan.append(
                "ASK the store of type \(type) for objects of \(entity.name), and for the values of each that comes without"
            )
            if predicate != nil { plan.append("TEST the predicate on each object, unless the store says that it has") }
        }
        if !request.sortKeys.isEmpty { plan.append("SORT what fits, unless the store says that it has") }
        return QueryExplanation(statement: request.statementInMemory(entity), arguments: [], plan: plan)
    }
}

extension RowRequest {
    /// Whether Folio's primary keys affect the order.
    fileprivate var isByNumber: Bool { sortKeys.contains(where: \.ordersObjects) }
}
