import Foundation
package import Schema

/// An order by sort keys, made ready to be used on many objects.
///
/// A nil (and a NaN) is smaller than every value, so first ascending and last descending. Strings
/// compare by the key's collation, everything else by ``ScalarRules``; false is before true.
/// Objects that no key tells apart keep the order they came in.
package struct CompiledSort {
    private struct Key {
        let path: CompiledExpression
        let isAscending: Bool
        let collation: SortKey.Collation
    }

    private let keys: [Key]

    /// - Parameters: `entity` and `model`, where given, are those that the keys were validated
    ///   against.
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

    /// What an object is ordered by, one value for each key. To be taken once for every object, not
    /// for every comparison.
    package func values(of object: any QueryObject) throws -> [PropertyValue] {
        try keys.map { try $0.path.value(for: object).scalar() }
    }

    /// Negative, zero or positive, for values that `values(of:)` gave.
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

    /// The order of two values, a nil first.
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
