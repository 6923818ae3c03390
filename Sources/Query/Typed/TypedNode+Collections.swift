import Foundation
import Schema

// Collections, texts and ranges.

extension PredicateExpressions.SequenceContains: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        let (whole, member) = (try scope.value(sequence), try scope.value(element))
        if LHS.Output.self is any StringProtocol.Type {
            return .condition(.comparison(ComparisonPredicate(whole, .contains, member)))
        }
        return .condition(.comparison(ComparisonPredicate(member, .in, whole)))
    }
}

extension PredicateExpressions.SequenceContainsWhere: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        .condition(try scope.any(sequence, variable.key) { try $0.condition(test) })
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        .condition(.not(try scope.any(sequence, variable.key) { .not(try $0.condition(test)) }))
    }
}

extension PredicateExpressions.Filter: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        let (inner, name) = scope.subquery(variable.key)
        return .value(
            .subquery(collection: try scope.value(sequence), variable: name, predicate: try inner.condition(filter)))
    }
}

extension PredicateExpressions.CollectionIndexSubscript: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        .value(.element(of: try scope.value(wrapped), .at(try scope.value(index))))
    }
}

extension PredicateExpressions.SequenceMinimum: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        .value(.function(QueryFunction.min.rawValue, [try scope.value(elements)]))
    }
}

extension PredicateExpressions.SequenceMaximum: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        .value(.function(QueryFunction.max.rawValue, [try scope.value(elements)]))
    }
}

extension TypedScope {
    /// Whether at least one element satisfies a test.
    fileprivate func any(
        _ sequence: some PredicateExpression, _ variable: PredicateExpressions.VariableID,
        _ test: (TypedScope) throws -> FetchPredicate
    ) throws -> FetchPredicate {
        let whole = try value(sequence)
        if case .constant(.list(let values)) = whole {
            return .or(try values.map { try test(binding(variable, to: .constant($0))) })
        }
        let (inner, name) = subquery(variable)
        let matching = QueryExpression.subquery(collection: whole, variable: name, predicate: try test(inner))
        return .comparison(ComparisonPredicate(Self.count(matching), .greater, .constant(.int(0))))
    }
}

// MARK: Strings

extension PredicateExpressions.CollectionContainsCollection: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        guard Base.Output.self is any StringProtocol.Type else {
            throw TypedScope.unsupported("contains of a collection, but for strings")
        }
        return .condition(.comparison(ComparisonPredicate(try scope.value(base), .contains, try scope.value(other))))
    }
}

extension PredicateExpressions.SequenceStartsWith: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        guard Base.Output.self is any StringProtocol.Type else {
            throw TypedScope.unsupported("starts(with:) of a sequence, but for strings")
        }
        return .condition(.comparison(ComparisonPredicate(try scope.value(base), .beginsWith, try scope.value(prefix))))
    }
}

extension PredicateExpressions.StringContainsRegex: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        guard
            let pattern = (regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex>)?.value
                .stringRepresentation
        else {
            throw TypedScope.unsupported("a regular expression that is computed")
        }
        // MATCHES matches the whole text, so the pattern is surrounded with wildcards.
        return .condition(
            .comparison(
                ComparisonPredicate(
                    try scope.value(subject), .matches, .constant(.string("(?s:.*)(?:\(pattern))(?s:.*)")))))
    }
}

// MARK: Ranges

/// Ranges that can contain a value.
protocol TypedRange {
    /// The bounds as values of queries; nil for bounds of another type.
    var bounds: (lower: PropertyValue?, upper: PropertyValue?, includesUpper: Bool)? { get }
}

extension Range: TypedRange {
    var bounds: (lower: PropertyValue?, upper: PropertyValue?, includesUpper: Bool)? {
        guard let lower = TypedConstant.value(of: lowerBound), let upper = TypedConstant.value(of: upperBound) else {
            return nil
        }
        return (lower, upper, false)
    }
}

extension ClosedRange: TypedRange {
    var bounds: (lower: PropertyValue?, upper: PropertyValue?, includesUpper: Bool)? {
        guard let lower = TypedConstant.value(of: lowerBound), let upper = TypedConstant.value(of: upperBound) else {
            return nil
        }
        return (lower, upper, true)
    }
}

extension PartialRangeFrom: TypedRange {
    var bounds: (lower: PropertyValue?, upper: PropertyValue?, includesUpper: Bool)? {
        TypedConstant.value(of: lowerBound).map { ($0, nil, false) }
    }
}

extension PartialRangeUpTo: TypedRange {
    var bounds: (lower: PropertyValue?, upper: PropertyValue?, includesUpper: Bool)? {
        TypedConstant.value(of: upperBound).map { (nil, $0, false) }
    }
}

extension PartialRangeThrough: TypedRange {
    var bounds: (lower: PropertyValue?, upper: PropertyValue?, includesUpper: Bool)? {
        TypedConstant.value(of: upperBound).map { (nil, $0, true) }
    }
}

/// A node that evaluates to a range.
private protocol TypedRangeNode {
    func holds(_ element: QueryExpression, in scope: TypedScope) throws -> FetchPredicate
}

extension TypedScope {
    fileprivate static func lies(
        _ element: QueryExpression, from lower: QueryExpression?, to upper: QueryExpression?, includesUpper: Bool
    ) -> FetchPredicate {
        let from = lower.map { FetchPredicate.comparison(ComparisonPredicate(element, .greaterOrEqual, $0)) }
        let to = upper.map {
            FetchPredicate.comparison(ComparisonPredicate(element, includesUpper ? .lessOrEqual : .less, $0))
        }
        return .and([from, to].compactMap { $0 })
    }
}

extension PredicateExpressions.Range: TypedRangeNode {
    fileprivate func holds(_ element: QueryExpression, in scope: TypedScope) throws -> FetchPredicate {
        TypedScope.lies(element, from: try scope.value(lower), to: try scope.value(upper), includesUpper: false)
    }
}

extension PredicateExpressions.ClosedRange: TypedRangeNode {
    fileprivate func holds(_ element: QueryExpression, in scope: TypedScope) throws -> FetchPredicate {
        TypedScope.lies(element, from: try scope.value(lower), to: try scope.value(upper), includesUpper: true)
    }
}

extension PredicateExpressions.Value: TypedRangeNode {
    fileprivate func holds(_ element: QueryExpression, in scope: TypedScope) throws -> FetchPredicate {
        guard let bounds = (value as? any TypedRange)?.bounds else {
            throw TypedScope.unsupported("a range of type \(Output.self)")
        }
        return TypedScope.lies(
            element, from: bounds.lower.map { .constant($0) }, to: bounds.upper.map { .constant($0) },
            includesUpper: bounds.includesUpper)
    }
}

extension PredicateExpressions.RangeExpressionContains: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        guard let range = range as? any TypedRangeNode else { throw TypedScope.unsupported("a range that is computed") }
        return .condition(try range.holds(scope.value(element), in: scope))
    }
}
