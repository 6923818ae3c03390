import Foundation
package import Schema

/// Sort keys that are prepared for comparing many objects.
///
/// Nil and NaN are smaller than every other value, so they come first in ascending order and last
/// in descending order. Strings compare by the key's collation, everything else by ``ScalarRules``;
/// false comes before true. The sort is stable.
package struct CompiledSort {
    private struct Key {
        let path: CompiledExpression
        let isAscending: Bool
        let collation: SortKey.Collation
    }

    private let keys: [Key]

    /// - Parameters:
    ///   - entity, model: The entity and the model that the keys were validated against, if they
    ///     were.
    package init(_ sortKeys: [SortKey], entity: EntityDescription? = nil, model: ManagedObjectModel? = nil)
        throws(QueryError)
    {
        var keys: [Key] = []
        for key in sortKeys {
            var expression = key.ordersObjects ? QueryExpression.evaluatedObject : .keyPath(key.keyPath)
            if key.relevanceQuery != nil {
                expression =
                    if let entity, let model { try key.expression(for: entity, in: model) } else { key.expression }
            }
            let path = try CompiledExpression(expression, entity: entity, model: model)
            keys.append(Key(path: path, isAscending: key.isAscending, collation: key.collation))
        }
        self.keys = keys
    }

    /// The values that an object is ordered by, one for each key. Call it once for each object, not
    /// for each comparison.
    package func values(of object: any QueryObject) throws -> [PropertyValue] {
        try keys.map { try $0.path.value(for: object).scalar() }
    }

    /// Negative, zero or positive. The arguments are results of `values(of:)`.
    package func compare(_ a: [PropertyValue], _ b: [PropertyValue]) -> Int {
        for (index, key) in keys.enumerated() {
            let order = Self.compare(a[index], b[index], key.collation)
            if order != 0 { return key.isAscending ? order : (order < 0 ? 1 : -1) }
        }
        return 0
    }

    package func sorted<Object: QueryObject>(_ objects: [Object]) throws -> [Object] {
        if keys.isEmpty { return objects }
        let values = try objects.map { try self.values(of: $0) }
        let order = objects.indices.sorted { a, b in
            let order = compare(values[a], values[b])
            return order == 0 ? a < b : order < 0
        }
        return order.map { objects[$0] }
    }

    /// The order of two values; nil comes first.
    package static func compare(_ a: PropertyValue, _ b: PropertyValue, _ collation: SortKey.Collation) -> Int {
        switch (ScalarRules.isNull(a), ScalarRules.isNull(b)) {
        case (true, true): return 0
        case (true, false): return -1
        case (false, true): return 1
        case (false, false): break
        }
        if case .string(let x) = a, case .string(let y) = b { return collation.compare(x, y) }
        if case .object(let x) = a, case .object(let y) = b { return x.order(to: y) }
        return (try? ScalarRules.order(a, b)).flatMap { $0 } ?? 0
    }
}
