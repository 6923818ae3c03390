import Foundation
import Schema

// Connectives, comparisons and conditionals.

extension PredicateExpressions.Conjunction: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        .condition(.and([try scope.condition(lhs), try scope.condition(rhs)]))
    }
}

extension PredicateExpressions.Disjunction: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        .condition(.or([try scope.condition(lhs), try scope.condition(rhs)]))
    }
}

extension PredicateExpressions.Negation: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode { .condition(.not(try scope.condition(wrapped))) }
}

extension PredicateExpressions.Equal: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode { .condition(try scope.equality(lhs, rhs)) }
}

extension PredicateExpressions.NotEqual: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode { .condition(.not(try scope.equality(lhs, rhs))) }
}

extension PredicateExpressions.Comparison: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        let order: ComparisonPredicate.Operator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw TypedScope.unsupported("the comparison \(op)")
            }
        return .condition(.comparison(ComparisonPredicate(try scope.value(lhs), order, try scope.value(rhs))))
    }
}

extension PredicateExpressions.Conditional: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        let test = try scope.condition(test)
        guard If.Output.self == Bool.self else {
            return .value(.conditional(test, try scope.value(trueBranch), try scope.value(falseBranch)))
        }
        return .condition(
            .or([.and([test, try scope.condition(trueBranch)]), .and([.not(test), try scope.condition(falseBranch)])]))
    }
}

extension TypedScope {
    /// Whether two children are equal. A condition that is compared with a constant becomes the
    /// condition itself or its negation.
    fileprivate func equality(_ left: some PredicateExpression, _ right: some PredicateExpression) throws
        -> FetchPredicate
    {
        switch (try node(left), try node(right)) {
        case (.value(let left), .value(let right)): return .comparison(ComparisonPredicate(left, .equal, right))
        case (.condition(let predicate, let unknown), .value(.constant(let constant))),
            (.value(.constant(let constant)), .condition(let predicate, let unknown)):
            switch constant {
            case .null: return unknown.isEmpty ? .constant(false) : Self.anyNil(unknown)
            case .int(let number): return Self.known(number != 0 ? predicate : .not(predicate), unknown)
            default: throw Self.unsupported("a condition that equals \(constant)")
            }
        default: return .comparison(ComparisonPredicate(try value(left), .equal, try value(right)))
        }
    }
}
