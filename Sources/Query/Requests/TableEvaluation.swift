package import Foundation
package import Schema

/// Computes rows of values from objects in memory, with the same result as the SQL statement of a
/// store.
///
/// 1. Groups and distinct rows are compared by ``ScalarRules``: nils are equal, and so are 1 and
///    1.0; texts are equal if their code units are.
/// 2. Without columns to group by, aggregates give one row, even for no objects.
/// 3. Rows that are equal in the sort order are ordered by their columns. Rows of single objects
///    are ordered by the primary keys of the objects.
package struct TableEvaluation {

    private struct Aggregate {
        let function: QueryFunction
        let argument: CompiledExpression
    }

    private let request: TableRequest
    private let columns: [CompiledExpression]
    private let groups: [CompiledExpression]
    private let having: CompiledPredicate?
    private let order: [CompiledExpression]
    private let aggregates: [Aggregate]

    /// - Parameters:
    ///   - entity, model: The entity and the model that the request was validated against.
    package init(_ request: TableRequest, entity: EntityDescription, model: ManagedObjectModel, now: Date = Date())
        throws(QueryError)
    {
        self.request = request
        var slots = AggregateSlots()
        let columns = request.columns.map { slots.extract($0.expression) }
        let order = request.order.map { slots.extract($0.expression) }
        let having = request.having.map { slots.extract($0) }
        let names = slots.names
        func compile(_ expression: QueryExpression) throws(QueryError) -> CompiledExpression {
            try CompiledExpression(expression, entity: entity, model: model, slots: names, now: now)
        }
        let arguments = slots.aggregates
        self.columns = try QueryError.typed { try columns.map(compile) }
        groups = try QueryError.typed { try request.groups.map(compile) }
        self.order = try QueryError.typed { try order.map(compile) }
        self.having = try QueryError.typed {
            try having.map { try CompiledPredicate($0, entity: entity, model: model, slots: names, now: now) }
        }
        aggregates = try QueryError.typed {
            try arguments.map { Aggregate(function: $0.function, argument: try compile($0.argument)) }
        }
    }

    /// A row with its sort values, before it is reduced to its columns.
    private struct Candidate {
        var values: [PropertyValue]
        var order: [PropertyValue]
        var key: Int64
    }

    /// The rows for `objects`, which must be all objects that the predicate selects.
    package func rows(of objects: some Sequence<any QueryObject>) throws -> [[PropertyValue]] {
        var candidates = request.isAggregated ? try grouped(objects) : try objects.map { try candidate($0, []) }
        if request.isDistinct {
            var seen: Set<[PropertyValue]> = []
            candidates = candidates.filter { seen.insert($0.values.map(\.identity)).inserted }
        }
        if request.isOrdered { candidates.sort { compare($0, $1) < 0 } }
        return candidates.dropFirst(request.offset).prefix(request.limit ?? .max).map { candidate in
            zip(request.columns, candidate.values).map { $0.value($1) }
        }
    }

    private func candidate(_ object: (any QueryObject)?, _ slots: [QueryValue]) throws -> Candidate {
        let root = object.map(QueryValue.object) ?? .null
        return Candidate(
            values: try columns.map { try $0.value(for: root, slots: slots).scalar() },
            order: try order.map { try $0.value(for: root, slots: slots).scalar() },
            key: object?.queryID.key ?? 0)
    }

    // MARK: Groups

    private struct Group {
        let first: (any QueryObject)?
        var accumulators: [AggregateAccumulator]
    }

    private func grouped(_ objects: some Sequence<any QueryObject>) throws -> [Candidate] {
        let empty = aggregates.map { AggregateAccumulator($0.function) }
        let nulls = [QueryValue](repeating: .null, count: aggregates.count)
        var found: [Group] = []
        var places: [[PropertyValue]: Int] = [:]
        for object in objects {
            let key = try groups.map { try $0.value(for: .object(object), slots: nulls).scalar().identity }
            let place: Int
            if let known = places[key] {
                place = known
            } else {
                place = found.count
                places[key] = place
                found.append(Group(first: object, accumulators: empty))
            }
            for (index, aggregate) in aggregates.enumerated() {
                try found[place].accumulators[index].add(
                    aggregate.argument.value(for: .object(object), slots: nulls).scalar())
            }
        }
        if found.isEmpty, groups.isEmpty { found.append(Group(first: nil, accumulators: empty)) }
        return try found.compactMap { group in
            let slots = group.accumulators.map { QueryValue.scalar($0.result) }
            let root = group.first.map(QueryValue.object) ?? .null
            if let having, try !having.matches(root, slots: slots) { return nil }
            return try candidate(group.first, slots)
        }
    }

    // MARK: Order

    private func compare(_ a: Candidate, _ b: Candidate) -> Int {
        for (index, term) in request.order.enumerated() {
            let order = CompiledSort.compare(a.order[index], b.order[index], term.collation)
            if order != 0 { return term.isAscending ? order : -order.signum() }
        }
        guard request.isAggregated || request.isDistinct else { return a.key < b.key ? -1 : (a.key == b.key ? 0 : 1) }
        for (index, column) in request.columns.enumerated() where column.isComparable {
            let order = Self.compare(a.values[index], b.values[index])
            if order != 0 { return order }
        }
        return 0
    }

    private static func compare(_ a: PropertyValue, _ b: PropertyValue) -> Int {
        if case .object(let x) = a, case .object(let y) = b { return x.key < y.key ? -1 : (x.key == y.key ? 0 : 1) }
        return CompiledSort.compare(a, b, .binary)
    }
}

/// Extracts aggregates from expressions and replaces them with variables.
private struct AggregateSlots {
    private(set) var aggregates: [(function: QueryFunction, argument: QueryExpression)] = []
    private var places: [QueryExpression: Int] = [:]

    /// The name can't occur in predicate text, because a variable's name has no colon.
    private static func name(_ place: Int) -> String { "aggregate:\(place)" }

    var names: [String] { aggregates.indices.map(Self.name) }

    mutating func extract(_ expression: QueryExpression) -> QueryExpression {
        FetchPredicate.replacing(expression) { expression, _ in replace(expression) }
    }

    mutating func extract(_ predicate: FetchPredicate) -> FetchPredicate {
        predicate.replacing { expression, _ in replace(expression) }
    }

    private mutating func replace(_ expression: QueryExpression) -> QueryExpression? {
        guard let aggregate = expression.rowAggregate else { return nil }
        if let place = places[expression] { return .variable(Self.name(place)) }
        places[expression] = aggregates.count
        aggregates.append(aggregate)
        return .variable(Self.name(aggregates.count - 1))
    }
}

extension PropertyValue {
    /// A value whose hash and equality match the equality of ``ScalarRules`` for the values of a
    /// column.
    fileprivate var identity: PropertyValue {
        if ScalarRules.isNull(self) { return .null }
        switch self {
        case .bool, .double, .float, .decimal:
            switch ScalarRules.number(self) {
            case .int(let number): return .int(number)
            case .double(let number): return Int64(exactly: number).map(PropertyValue.int) ?? .double(number)
            case nil: return self
            }
        // The equality of `String` is canonical equivalence, so other text is compared by its
        // bytes.
        case .string(let text): return text.utf8.allSatisfy { $0 < 0x80 } ? self : .data(Data(text.utf8))
        case .uri(let url): return PropertyValue.string(url.absoluteString).identity
        default: return self
        }
    }
}
