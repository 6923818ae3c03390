import Foundation
import Schema

/// The translation of a node of a Foundation predicate.
enum TypedNode {
    /// A condition. Its own value is nil if one of `unknownWhen` is nil.
    case condition(FetchPredicate, unknownWhen: [QueryExpression])
    case value(QueryExpression)

    static func condition(_ predicate: FetchPredicate) -> TypedNode { .condition(predicate, unknownWhen: []) }
}

/// A node of a Foundation predicate that has a translation. Each kind of node conforms in an
/// extension.
protocol TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode
}

/// The values of the variables of the enclosing closures.
struct TypedScope {
    var variables: [PredicateExpressions.VariableID: QueryExpression]
    /// The number of enclosing subqueries.
    var depth = 0

    func binding(_ variable: PredicateExpressions.VariableID, to expression: QueryExpression) -> TypedScope {
        var scope = self
        scope.variables[variable] = expression
        return scope
    }

    /// The scope inside the closure of a subquery, and the name of its variable.
    func subquery(_ variable: PredicateExpressions.VariableID) -> (scope: TypedScope, name: String) {
        let name = "element\(depth)"
        var scope = binding(variable, to: .variable(name))
        scope.depth += 1
        return (scope, name)
    }

    // MARK: Children

    func node(_ expression: some PredicateExpression) throws -> TypedNode {
        guard let node = expression as? any TypedPredicateNode else {
            throw Self.unsupported(Self.kind(of: expression))
        }
        return try node.translated(in: self)
    }

    /// The child as a value; a condition is 1 or 0.
    func value(_ expression: some PredicateExpression) throws -> QueryExpression {
        switch try node(expression) {
        case .value(let value): return value
        case .condition(let predicate, let unknown):
            let value = QueryExpression.conditional(predicate, .constant(.int(1)), .constant(.int(0)))
            return unknown.isEmpty ? value : .conditional(Self.anyNil(unknown), .constant(.null), value)
        }
    }

    /// The child as a condition; false if the child is nil.
    func condition(_ expression: some PredicateExpression) throws -> FetchPredicate {
        switch try node(expression) {
        case .condition(let predicate, let unknown): return Self.known(predicate, unknown)
        case .value(.constant(.int(let number))): return .constant(number != 0)
        case .value(let value): return .comparison(ComparisonPredicate(value, .equal, .constant(.int(1))))
        }
    }

    // MARK: Pieces

    static func isNil(_ expression: QueryExpression) -> FetchPredicate {
        .comparison(ComparisonPredicate(expression, .equal, .constant(.null)))
    }

    static func anyNil(_ expressions: [QueryExpression]) -> FetchPredicate {
        expressions.count == 1 ? isNil(expressions[0]) : .or(expressions.map(isNil))
    }

    /// A predicate that is false if one of the values that it needs is nil.
    static func known(_ predicate: FetchPredicate, _ unknown: [QueryExpression]) -> FetchPredicate {
        unknown.isEmpty ? predicate : .and(unknown.map { .not(isNil($0)) } + [predicate])
    }

    static func path(_ base: QueryExpression, _ components: [String]) -> QueryExpression {
        switch base {
        case .evaluatedObject: .keyPath(base: nil, components: components)
        case .keyPath(let root, let first): .keyPath(base: root, components: first + components)
        default: .keyPath(base: base, components: components)
        }
    }

    /// The number of elements of a collection.
    static func count(_ collection: QueryExpression) -> QueryExpression {
        switch collection {
        case .constant, .aggregate: .function(QueryFunction.count.rawValue, [collection])
        default: path(collection, ["@count"])
        }
    }

    static func unsupported(_ what: String) -> QueryError {
        QueryError(.unsupported, "A query can't say \(what)")
    }

    /// Foundation's name of the kind of node, without its generic parameters.
    static func kind(of expression: some PredicateExpression) -> String {
        String("\(type(of: expression))".prefix { $0 != "<" }) + " of #Predicate"
    }
}
