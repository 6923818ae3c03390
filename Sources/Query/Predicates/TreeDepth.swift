/// The bound on how deeply predicates and expressions may contain each other.
///
/// They are worked on by recursion, on stacks that may have only 512 KB. Text can't be nested so
/// deep; trees that a program makes can.
package enum TreeDepth {
    /// The greatest depth of a tree that is accepted: more than that of parsed text, which may be a
    /// part of a tree that a program makes.
    package static let limit = 160
    /// The greatest depth of a tree that is evaluated: validation may have added to it.
    static let evaluationLimit = 176

    package static func error() -> QueryError {
        QueryError(
            .limit,
            "The predicate is nested too deep: \(limit) levels are possible, not counting conditions that are joined by the same word"
        )
    }

    /// What a tree consists of.
    enum Node {
        case predicate(FetchPredicate)
        case expression(QueryExpression)

        fileprivate func forEachPart(_ body: (Node) -> Void) {
            switch self {
            case .predicate(.constant), .expression(.constant), .expression(.evaluatedObject), .expression(.variable):
                break
            case .predicate(.not(let inner)): body(.predicate(inner))
            case .predicate(.and(let parts)), .predicate(.or(let parts)): for part in parts { body(.predicate(part)) }
            case .predicate(.comparison(let comparison)):
                body(.expression(comparison.left))
                body(.expression(comparison.right))
            case .expression(.keyPath(let base, _)): if let base { body(.expression(base)) }
            case .expression(.aggregate(let parts)), .expression(.function(_, let parts)):
                for part in parts { body(.expression(part)) }
            case .expression(.call(let target, _, let arguments)):
                body(.expression(target))
                for argument in arguments { body(.expression(argument)) }
            case .expression(.subquery(let collection, _, let predicate)):
                body(.expression(collection))
                body(.predicate(predicate))
            case .expression(.conditional(let condition, let then, let otherwise)):
                body(.predicate(condition))
                body(.expression(then))
                body(.expression(otherwise))
            case .expression(.cast(let operand, _)): body(.expression(operand))
            case .expression(.element(let base, let index)):
                body(.expression(base))
                if case .at(let position) = index { body(.expression(position)) }
            }
        }

        /// Whether the tree has at most this number of levels. The stack that this takes does not
        /// depend on the tree.
        func fits(_ limit: Int) -> Bool {
            var rest: [(node: Node, depth: Int)] = [(self, 1)]
            while let (node, depth) = rest.popLast() {
                if depth > limit { return false }
                node.forEachPart { rest.append(($0, depth + 1)) }
            }
            return true
        }
    }
}

extension FetchPredicate {
    /// The predicate, with chains of one connective made flat if it is too deep otherwise.
    /// - Throws: ``QueryError`` with code `limit` if it is too deep nevertheless.
    func bounded(_ limit: Int = TreeDepth.limit) throws(QueryError) -> FetchPredicate {
        if TreeDepth.Node.predicate(self).fits(limit) { return self }
        guard let flat = flattened(limit), TreeDepth.Node.predicate(flat).fits(limit) else { throw TreeDepth.error() }
        return flat
    }

    /// The predicate without connectives in themselves, connectives of one part, and double
    /// negations; nil if it is deeper than `limit` even so.
    private func flattened(_ limit: Int) -> FetchPredicate? {
        let (core, isNegated) = stripped
        let flat: FetchPredicate?
        switch core {
        case .and: flat = core.chain(limit).map { .and($0) }
        case .or: flat = core.chain(limit).map { .or($0) }
        default: flat = core
        }
        return isNegated ? flat.map { .not($0) } : flat
    }

    /// What is in negations and connectives of one part, and whether the negations are odd.
    private var stripped: (core: FetchPredicate, isNegated: Bool) {
        var isNegated = false, core = self
        while true {
            switch core {
            case .not(let inner):
                isNegated.toggle()
                core = inner
            case .and(let parts) where parts.count == 1, .or(let parts) where parts.count == 1: core = parts[0]
            default: return (core, isNegated)
            }
        }
    }

    /// The parts that the connective joins, through all levels of it; nil if they are deeper than
    /// `limit`.
    private func chain(_ limit: Int) -> [FetchPredicate]? {
        guard limit > 0 else { return nil }
        var result: [FetchPredicate] = [], rest = [self]
        while let next = rest.popLast() {
            let (core, isNegated) = next.stripped
            switch (self, core) {
            case (.and, .and(let parts)) where !isNegated, (.or, .or(let parts)) where !isNegated:
                rest += parts.reversed()
            default:
                guard let part = core.flattened(limit - 1) else { return nil }
                result.append(isNegated ? .not(part) : part)
            }
        }
        return result
    }
}

extension QueryExpression {
    /// The expression.
    /// - Throws: ``QueryError`` with code `limit` if it is nested too deep.
    func bounded(_ limit: Int = TreeDepth.limit) throws(QueryError) -> QueryExpression {
        guard TreeDepth.Node.expression(self).fits(limit) else { throw TreeDepth.error() }
        return self
    }
}
