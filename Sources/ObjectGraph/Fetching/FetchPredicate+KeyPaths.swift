import Query

extension FetchPredicate {
    /// All key paths in the predicate. A key path that does not begin at the evaluated object has
    /// an empty first component.
    var keyPaths: [[String]] {
        switch self {
        case .constant: []
        case .not(let inner): inner.keyPaths
        case .and(let parts), .or(let parts): parts.flatMap(\.keyPaths)
        case .comparison(let comparison): comparison.left.keyPaths + comparison.right.keyPaths
        }
    }
}

extension QueryExpression {
    var keyPaths: [[String]] {
        switch self {
        case .constant, .evaluatedObject, .variable: []
        case .keyPath(nil, let components): [components]
        case .keyPath(let base?, let components): base.keyPaths + [[""] + components]
        case .aggregate(let elements): elements.flatMap(\.keyPaths)
        case .function(_, let arguments): arguments.flatMap(\.keyPaths)
        case .call(let target, _, let arguments): target.keyPaths + arguments.flatMap(\.keyPaths)
        case .subquery(let collection, _, let predicate): collection.keyPaths + predicate.keyPaths
        case .conditional(let predicate, let then, let otherwise):
            predicate.keyPaths + then.keyPaths + otherwise.keyPaths
        case .cast(let operand, _): operand.keyPaths
        case .element(let base, .at(let position)): base.keyPaths + position.keyPaths
        case .element(let base, _): base.keyPaths
        }
    }
}
