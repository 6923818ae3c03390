import Query
import RowMemory
import Schema
import Storage

/// A table that selects the rows of a request itself, wherever they are stored. The methods that
/// process the rows are shared.
protocol SelectingTable: ChangeableTable {
    /// The rows of a request: those that match its predicate, in its order, within its offset and
    /// limit.
    func select(_ request: RowRequest) throws -> [Row]
}

extension RowBatch {
    init(copiesOf rows: [Row]) {
        self.init()
        for row in rows { _ = append(copyOf: row) }
    }
}

extension SelectingTable {
    func rows(_ request: RowRequest) throws -> RowBatch {
        RowBatch(copiesOf: try select(request))
    }

    func rows(_ table: TableRequest, of request: RowRequest) throws -> [[PropertyValue]] {
        let evaluation = try TableEvaluation(
            table, entity: shape.model.entities[request.entityIndex], model: shape.model)
        return try evaluation.rows(of: select(request).lazy.map { RowObject($0, in: self) })
    }

    func related(_ relation: Int?, owners: [Int64], includingRows: Bool) throws -> RelatedBatch {
        guard let relation else { return RelatedBatch(members: owners.map { _ in [] }) }
        let lists = try owners.map { try members(of: $0, relation) }
        guard includingRows else { return RelatedBatch(members: lists) }
        var batch = RowBatch()
        var seen: Set<Int64> = []
        for list in lists {
            for member in list where seen.insert(member.key).inserted {
                if let row = try row(member) { _ = batch.append(copyOf: row) }
            }
        }
        return RelatedBatch(members: lists, rows: batch)
    }

    /// The number of rows in primary key order that suffice; nil if all are needed. Without sort
    /// keys the first matching rows suffice.
    static func enough(_ request: RowRequest) -> Int? {
        guard request.sortKeys.isEmpty, let limit = request.limit else { return nil }
        let (count, overflow) = limit.addingReportingOverflow(max(0, request.offset))
        return overflow ? nil : count
    }

    /// Sorts the rows of a request and applies its offset and limit.
    func finish(_ found: [Row], _ request: RowRequest) throws -> [Row] {
        guard !request.sortKeys.isEmpty else { return Self.window(found, request) }
        let sort = try CompiledSort(
            request.sortKeys, entity: shape.model.entities[request.entityIndex], model: shape.model)
        return Self.window(try sort.sorted(found.map { RowObject($0, in: self) }).compactMap(\.row), request)
    }

    static func window<Element>(_ all: [Element], _ request: RowRequest) -> [Element] {
        let rest = all.dropFirst(max(0, request.offset))
        return Array(request.limit.map { rest.prefix(max(0, $0)) } ?? rest)
    }
}
