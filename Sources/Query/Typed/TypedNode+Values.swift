import Foundation
import Schema

// Constants, variables, key paths and arithmetic.

extension PredicateExpressions.Value: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        guard let constant = TypedConstant.value(of: value) else {
            throw TypedScope.unsupported("a value of type \(Output.self)")
        }
        return .value(.constant(constant))
    }
}

extension PredicateExpressions.NilLiteral: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode { .value(.constant(.null)) }
}

extension PredicateExpressions.Variable: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        guard let expression = scope.variables[key] else {
            throw QueryError(.unboundVariable, "A variable of the predicate has no value")
        }
        return .value(expression)
    }
}

extension PredicateExpressions.KeyPath: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        let base = try scope.value(root)
        if let owner = Root.Output.self as? any KeyPathNaming.Type, let name = owner.namesByKeyPath[keyPath] {
            return .value(TypedScope.path(base, [name]))
        }
        let isText = Root.Output.self is any StringProtocol.Type
        switch kind {
        case .collectionCount where !isText: return .value(TypedScope.count(base))
        case .collectionIsEmpty where isText:
            return .condition(.comparison(ComparisonPredicate(base, .equal, .constant(.string("")))))
        case .collectionIsEmpty:
            return .condition(.comparison(ComparisonPredicate(TypedScope.count(base), .equal, .constant(.int(0)))))
        case .collectionFirst where !isText: return .value(.element(of: base, .first))
        case .bidirectionalCollectionLast where !isText: return .value(.element(of: base, .last))
        default:
            if isText {
                throw TypedScope.unsupported("\(keyPath) of a string: stores count UTF-16 units, not characters")
            }
            throw QueryError(
                .unknownKey,
                "\(Root.Output.self) has no name for \(keyPath): namesByKeyPath lists those that queries know")
        }
    }
}

extension PredicateExpressions.Arithmetic: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        let function: QueryFunction =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw TypedScope.unsupported("the arithmetic \(op)")
            }
        return try scope.function(function, lhs, rhs)
    }
}

extension PredicateExpressions.IntDivision: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode { try scope.function(.divide, lhs, rhs) }
}

extension PredicateExpressions.IntRemainder: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode { try scope.function(.modulus, lhs, rhs) }
}

extension PredicateExpressions.FloatDivision: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode { try scope.function(.divide, lhs, rhs) }
}

extension PredicateExpressions.UnaryMinus: TypedPredicateNode {
    func translated(in scope: TypedScope) throws -> TypedNode {
        .value(.function(QueryFunction.subtract.rawValue, [.constant(.int(0)), try scope.value(wrapped)]))
    }
}

extension TypedScope {
    fileprivate func function(
        _ function: QueryFunction, _ left: some PredicateExpression, _ right: some PredicateExpression
    ) throws -> TypedNode {
        .value(.function(function.rawValue, [try value(left), try value(right)]))
    }
}

/// Converts Swift values to constants of queries.
enum TypedConstant {
    /// Nil if queries have no such value.
    static func value(of value: Any) -> PropertyValue? {
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .optional {
            guard let wrapped = mirror.children.first?.value else { return .null }
            return self.value(of: wrapped)
        }
        if let argument = value as? any PredicateArgument { return argument.predicateConstant }
        if let character = value as? Character { return .string(String(character)) }
        if let text = value as? any StringProtocol { return .string(String(text)) }
        if let raw = value as? any RawRepresentable { return self.value(of: raw.rawValue) }
        guard let sequence = value as? any Sequence, !(value is any TypedRange) else { return nil }
        return list(sequence)
    }

    private static func list(_ sequence: some Sequence) -> PropertyValue? {
        var values: [PropertyValue] = []
        for element in sequence {
            guard let value = value(of: element) else { return nil }
            values.append(value)
        }
        return .list(values)
    }
}
