import Schema

extension FetchPredicate {
    /// The predicate with variables replaced by values. Variables without a value in the dictionary
    /// are kept.
    ///
    /// ```swift
    /// try FetchPredicate(format: "year > $limit").withSubstitutionVariables(["limit": 1960])
    /// ```
    /// The variable that a SUBQUERY binds is never replaced, even if it has one of the names.
    public func withSubstitutionVariables(_ variables: [String: (any PredicateArgument)?]) -> FetchPredicate {
        let constants = variables.mapValues {
            ($0 as? QueryExpression) ?? QueryExpression.constant($0?.predicateConstant ?? .null)
        }
        return replacing { expression, bound in
            guard case .variable(let name) = expression, !bound.contains(name) else { return nil }
            return constants[name]
        }
    }

    /// The names of the variables that are not bound, sorted.
    public var variables: [String] {
        var names: Set<String> = []
        _ = replacing { expression, bound in
            if case .variable(let name) = expression, !bound.contains(name) { names.insert(name) }
            return nil
        }
        return names.sorted()
    }

    /// The predicate with the variables that refer to objects replaced, so that a store can run it.
    /// `$FETCH_SOURCE` becomes the object's ID, and a path that begins at it becomes its value.
    /// - Throws: An error of following the paths.
    package func binding(_ objects: [String: QueryValue]) throws -> FetchPredicate {
        var failure: (any Error)?
        let result = replacing { expression, bound in
            guard failure == nil else { return nil }
            switch expression {
            case .variable(let name), .keyPath(.variable(let name), _):
                guard objects[name] != nil, !bound.contains(name) else { return nil }
            default: return nil
            }
            do {
                return .constant(try CompiledExpression(expression, variables: objects).value(for: .null).constant())
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { throw failure }
        return result
    }

    /// Replaces expressions. `replace` is called for every expression, outermost first, with the
    /// names that enclosing subqueries bind, and returns the replacement, or nil to keep the
    /// expression. A predicate that is nested too deep for every use stays as it is.
    package func replacing(_ replace: (QueryExpression, Set<String>) -> QueryExpression?) -> FetchPredicate {
        guard let predicate = try? bounded(TreeDepth.evaluationLimit) else { return self }
        return predicate.replaced([], replace)
    }

    private func replaced(_ bound: Set<String>, _ replace: (QueryExpression, Set<String>) -> QueryExpression?)
        -> FetchPredicate
    {
        switch self {
        case .constant: return self
        case .not(let inner): return .not(inner.replaced(bound, replace))
        case .and(let parts): return .and(parts.map { $0.replaced(bound, replace) })
        case .or(let parts): return .or(parts.map { $0.replaced(bound, replace) })
        case .comparison(var comparison):
            comparison.left = Self.replaced(comparison.left, bound, replace)
            comparison.right = Self.replaced(comparison.right, bound, replace)
            return .comparison(comparison)
        }
    }

    package static func replacing(
        _ expression: QueryExpression, _ replace: (QueryExpression, Set<String>) -> QueryExpression?
    ) -> QueryExpression {
        guard let expression = try? expression.bounded(TreeDepth.evaluationLimit) else { return expression }
        return replaced(expression, [], replace)
    }

    private static func replaced(
        _ expression: QueryExpression, _ bound: Set<String>,
        _ replace: (QueryExpression, Set<String>) -> QueryExpression?
    ) -> QueryExpression {
        if let replacement = replace(expression, bound) { return replacement }
        func inner(_ expression: QueryExpression) -> QueryExpression { replaced(expression, bound, replace) }
        switch expression {
        case .constant, .evaluatedObject, .variable: return expression
        case .keyPath(let base, let components): return .keyPath(base: base.map(inner), components: components)
        case .aggregate(let elements):
            let elements = elements.map(inner)
            var constants: [PropertyValue] = []
            for case .constant(let value) in elements { constants.append(value) }
            return constants.count == elements.count ? .constant(.list(constants)) : .aggregate(elements)
        case .function(let name, let arguments): return .function(name, arguments.map(inner))
        case .call(let target, let selector, let arguments):
            return .call(target: inner(target), selector: selector, arguments: arguments.map(inner))
        case .subquery(let collection, let variable, let predicate):
            return .subquery(
                collection: inner(collection), variable: variable,
                predicate: predicate.replaced(bound.union([variable]), replace))
        case .conditional(let predicate, let then, let otherwise):
            return .conditional(predicate.replaced(bound, replace), inner(then), inner(otherwise))
        case .cast(let operand, let type): return .cast(inner(operand), type)
        case .element(let base, .at(let position)): return .element(of: inner(base), .at(inner(position)))
        case .element(let base, let index): return .element(of: inner(base), index)
        }
    }
}

extension QueryValue {
    /// The value as a constant; a collection becomes a list.
    fileprivate func constant() throws -> PropertyValue {
        if case .collection(let elements, _) = self { return .list(try elements.map { try $0.constant() }) }
        return try scalar()
    }
}
