import Query
import Schema

/// The order of rows that stand for several objects by what is not the same for all of them.
///
/// Core Data hands such an order to SQLite, which takes the value of one of the objects. Here it is
/// the first value in the order: the smallest one, or for a descending order the largest.
enum GroupOrder {
    /// The beginning of the names of columns that are there for the order alone.
    private static let prefix = "folio order "

    /// The sort keys of a request for dictionaries, whose columns it may add to.
    static func apply<Result>(to request: inout FetchRequest<Result>) -> [SortKey] {
        let isAggregate = request.propertiesToFetch.contains(where: \.isAggregate)
        if request.returnsDistinctResults, request.propertiesToGroupBy.isEmpty, !isAggregate,
            !request.propertiesToFetch.isEmpty
        {
            let columns = Set(request.propertiesToFetch.map(\.name))
            if request.sortDescriptors.allSatisfy({ columns.contains($0.keyPath) }) { return request.sortDescriptors }
            // Distinct rows are groups by all their columns.
            (request.propertiesToGroupBy, request.returnsDistinctResults) = (request.propertiesToFetch, false)
        }
        let groups = request.propertiesToGroupBy
        guard isAggregate || !groups.isEmpty else { return request.sortDescriptors }
        let known = Set((request.propertiesToFetch + groups).map(\.name))
        var keys: [SortKey] = []
        for key in request.sortDescriptors {
            if known.contains(key.keyPath) || key.ordersObjects || key.relevanceQuery != nil {
                keys.append(key)
            } else if groups.isEmpty {
                // One row has no order.
                continue
            } else if request.returnsDistinctResults {
                // A column for the order would make equal rows different: the key is refused.
                keys.append(key)
            } else {
                let function = key.isAscending ? "min:" : "max:", name = "\(prefix)\(keys.count)"
                request.propertiesToFetch.append(
                    .expression(ExpressionDescription(name, .function(function, [.keyPath(key.keyPath)]))))
                keys.append(SortKey(name, ascending: key.isAscending, collation: key.collation))
            }
        }
        return keys
    }

    /// A row without the columns that are there for the order alone.
    static func visible(_ row: [String: PropertyValue]) -> [String: PropertyValue] {
        guard row.keys.contains(where: { $0.hasPrefix(prefix) }) else { return row }
        return row.filter { !$0.key.hasPrefix(prefix) }
    }
}

extension FetchColumn {
    fileprivate var isAggregate: Bool {
        guard case .expression(let description) = self else { return false }
        return description.expression.aggregatesRows
    }
}
