import Query
import RowMemory
import Schema
import Storage

/// Answering requests: the store says what may be meant, and what it has not done is done here.
extension NodeTable {
    func rows(_ request: RowRequest) throws -> RowBatch {
        var batch = RowBatch()
        for row in try select(request) { _ = batch.append(copyOf: row) }
        return batch
    }

    func count(_ request: RowRequest) throws -> Int {
        var request = request
        request.sortKeys = []
        guard case .matching(let predicate) = request.selection, request.excludedKeys.isEmpty else { return try select(request).count }
        let found = try execute(fetchRequest(request, predicate))
        switch found.extent {
        case .complete: return Set(found.references).count
        case .matching: return Self.window(Array(Set(found.references)), request).count
        case .candidates: return try finish(found.references, .candidates, request, predicate).count
        }
    }

    func rows(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]] {
        let evaluation = try TableEvaluation(table, entity: shape.model.entities[request.entityIndex], model: shape.model)
        return try evaluation.rows(of: select(request).lazy.map { RowObject($0, in: self) })
    }

    func related(_ relation: Int?, owners: [Int64], includingRows: Bool) throws -> RelatedBatch {
        guard let relation else { return RelatedBatch(members: owners.map { _ in [] }) }
        let lists = try owners.map { try members(of: $0, relation) }
        var batch = RowBatch()
        guard includingRows else { return RelatedBatch(members: lists) }
        var seen: Set<Int64> = []
        for list in lists {
            for member in list where seen.insert(member.key).inserted {
                if let row = try row(member) { _ = batch.append(copyOf: row) }
            }
        }
        return RelatedBatch(members: lists, rows: batch)
    }

    // MARK: Selection

    private func fetchRequest(_ request: RowRequest, _ predicate: FetchPredicate?) -> IncrementalFetchRequest {
        let entity = shape.model.entities[request.entityIndex]
        // The store does not know which objects are left out, and so must not cut.
        let isWhole = request.excludedKeys.isEmpty
        return IncrementalFetchRequest(
            entity: entity, entities: entities(of: entity, includingSubentities: request.includesSubentities), predicate: predicate, sortKeys: request.sortKeys,
            fetchOffset: isWhole ? max(0, request.offset) : 0, fetchLimit: isWhole ? request.limit : nil)
    }

    private func select(_ request: RowRequest) throws -> [Row] {
        switch request.selection {
        case .keys(let keys):
            return try finish(keys.map { ObjectReference(key: $0, entityIndex: request.entityIndex) }, .candidates, request, nil)
        case .matching(let predicate):
            if let limit = request.limit, limit <= 0 { return [] }
            let found = try execute(fetchRequest(request, predicate))
            return try finish(found.references, found.extent, request, predicate)
        }
    }

    private func finish(
        _ references: [ObjectReference], _ extent: IncrementalFetchResult.Extent, _ request: RowRequest, _ predicate: FetchPredicate?
    ) throws -> [Row] {
        let entity = shape.model.entities[request.entityIndex]
        let excluded = Set(request.excludedKeys)
        if extent == .complete {
            let rows = try references.compactMap { excluded.contains($0.key) ? nil : try row($0) }
            return excluded.isEmpty ? rows : Self.window(rows, request)
        }
        let family = request.includesSubentities ? entity.family : entity.index..<(entity.index + 1)
        var test: CompiledPredicate?
        if extent == .candidates, let predicate { test = try CompiledPredicate(predicate, entity: entity, model: shape.model) }
        // Without an order the first that fit will do.
        let enough = request.sortKeys.isEmpty ? request.limit.map { $0.addingReportingOverflow(max(0, request.offset)) }.flatMap { $0.overflow ? nil : $0.partialValue } : nil
        var found: [Row] = []
        var seen = excluded
        for reference in references.sorted(by: { $0.key < $1.key }) where seen.insert(reference.key).inserted {
            if let enough, found.count >= enough { break }
            guard let row = try row(reference), family.contains(row.entityIndex) else { continue }
            if let test, try !test.matches(RowObject(row, in: self)) { continue }
            found.append(row)
        }
        if !request.sortKeys.isEmpty {
            let sort = try CompiledSort(request.sortKeys, entity: entity, model: shape.model)
            found = try sort.sorted(found.map { RowObject($0, in: self) }).compactMap(\.row)
        }
        return Self.window(found, request)
    }

    private static func window<Element>(_ all: [Element], _ request: RowRequest) -> [Element] {
        let rest = all.dropFirst(max(0, request.offset))
        return Array(request.limit.map { rest.prefix(max(0, $0)) } ?? rest)
    }

    // MARK: Explanation

    func explanation(of request: RowRequest) -> QueryExplanation {
        let entity = shape.model.entities[request.entityIndex]
        let type = Swift.type(of: store).storeType.rawValue
        var plan: [String] = []
        switch request.selection {
        case .keys: plan.append("ASK the store of type \(type) for each object")
        case .matching(let predicate):
            plan.append("ASK the store of type \(type) for objects of \(entity.name), and for the values of each that comes without")
            if predicate != nil { plan.append("TEST the predicate on each object, unless the store says that it has") }
        }
        if !request.sortKeys.isEmpty { plan.append("SORT what fits, unless the store says that it has") }
        return QueryExplanation(statement: request.statementInMemory(entity), arguments: [], plan: plan)
    }
}
