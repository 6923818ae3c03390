import Foundation
import Schema

// Optionals: chaining, `??` and `!`.

extension PredicateExpressions.OptionalFlatMap: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        let whole = try scope.value(wrapped)
        switch try scope.binding(variable.key, to: whole).node(transform) {
        case .condition(let predicate, let unknown): return .condition(predicate, unknownWhen: [whole] + unknown)
        case .value(let value):
            // A path through nil is nil, but an aggregate after it is not, so it needs a test for
            // nil.
            if case .keyPath(_, let components) = value, !components.contains(where: { $0.hasPrefix("@") }) {
                return .value(value)
            }
            return .value(.conditional(TypedScope.isNil(whole), .constant(.null), value))
        }
    }
}

extension PredicateExpressions.NilCoalesce: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        switch try scope.node(lhs) {
        case .value(let value): return .value(.conditional(TypedScope.isNil(value), try scope.value(rhs), value))
        case .condition(let predicate, let unknown):
            let fallback = try scope.condition(rhs)
            let known = TypedScope.known(predicate, unknown)
            if unknown.isEmpty || fallback == .constant(false) { return .condition(known) }
            return .condition(.or([known, .and([TypedScope.anyNil(unknown), fallback])]))
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: TypedPredicateNode {
    /// Nil is not an error in a query: comparisons with it are false.
    func translated(in scope: TypedScope) throws -> TypedNode { try scope.node(inner) }
}
