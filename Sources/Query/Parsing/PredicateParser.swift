import Schema

/// Parses predicate text into a tree in one pass without backtracking.
///
/// A parenthesis may contain a predicate or an operand, and the parser knows which only after it.
/// So every step returns a ``Node`` that is either, and callers check for the kind that they
/// require. Invariants: the recursion of the parser is bounded by `nestingLimit`, and the depth of
/// the tree by `depthLimit`, so that malicious text can't exhaust the stack during parsing,
/// evaluation, translation or deallocation of the tree. Chains of AND and OR are flat and don't
/// count.
struct PredicateParser {
    private static let nestingLimit = 64
    private static let depthLimit = 128

    struct Node {
        enum Content {
            case predicate(FetchPredicate)
            case expression(QueryExpression)
        }

        var content: Content
        var depth: Int
        /// The UTF-8 offset of its first token in the text.
        var start: Int
    }

    var lexer: PredicateLexer
    var token: PredicateToken
    /// The end of the token before `token`.
    var previousEnd = 0
    private var arguments: [(any PredicateArgument)?]
    private var argumentsUsed = 0
    private var nesting = 0

    private init(_ text: String, arguments: [(any PredicateArgument)?]) throws {
        lexer = PredicateLexer(text)
        token = try lexer.next()
        self.arguments = arguments
    }

    static func predicate(_ text: String, arguments: [(any PredicateArgument)?]) throws(QueryError) -> FetchPredicate {
        try QueryError.typed {
            var parser = try PredicateParser(text, arguments: arguments)
            return try parser.parsePredicate()
        }
    }

    static func expression(_ text: String, arguments: [(any PredicateArgument)?]) throws(QueryError) -> QueryExpression
    {
        try QueryError.typed {
            var parser = try PredicateParser(text, arguments: arguments)
            return try parser.parseExpression()
        }
    }

    private mutating func parsePredicate() throws -> FetchPredicate {
        let node = try disjunction()
        let predicate = try predicate(node)
        try finish(expected: "AND, OR or the end")
        return predicate
    }

    private mutating func parseExpression() throws -> QueryExpression {
        let node = try disjunction()
        let expression = try expression(node)
        try finish(expected: "an operator or the end")
        return expression
    }

    private func finish(expected: String) throws {
        guard case .end = token.kind else { throw unexpected(expected) }
        guard argumentsUsed == arguments.count else {
            throw QueryError(
                .argument, "The format has \(argumentsUsed) placeholders for \(arguments.count) arguments",
                text: lexer.text)
        }
    }

    // MARK: Predicates

    mutating func disjunction() throws -> Node {
        var node = try conjunction()
        guard token.is(.or as PredicateToken.Keyword) || token.is(.or as PredicateToken.Symbol) else { return node }
        var parts: [FetchPredicate] = []
        while true {
            let part = try predicate(node)
            if case .or(let inner) = part { parts += inner } else { parts.append(part) }
            guard token.is(.or as PredicateToken.Keyword) || token.is(.or as PredicateToken.Symbol) else { break }
            try advance()
            let next = try conjunction()
            node = Node(content: next.content, depth: max(node.depth, next.depth), start: node.start)
        }
        return try deeper(.predicate(.or(parts)), than: node.depth, start: node.start)
    }

    private mutating func conjunction() throws -> Node {
        var node = try negation()
        guard token.is(.and as PredicateToken.Keyword) || token.is(.and as PredicateToken.Symbol) else { return node }
        var parts: [FetchPredicate] = []
        while true {
            let part = try predicate(node)
            if case .and(let inner) = part { parts += inner } else { parts.append(part) }
            guard token.is(.and as PredicateToken.Keyword) || token.is(.and as PredicateToken.Symbol) else { break }
            try advance()
            let next = try negation()
            node = Node(content: next.content, depth: max(node.depth, next.depth), start: node.start)
        }
        return try deeper(.predicate(.and(parts)), than: node.depth, start: node.start)
    }

    private mutating func negation() throws -> Node {
        let start = token.start
        var count = 0
        while token.is(.not as PredicateToken.Keyword) || token.is(.not as PredicateToken.Symbol) {
            count += 1
            try advance()
        }
        var node = try comparison()
        for _ in 0..<count {
            node = try deeper(.predicate(.not(try predicate(node))), than: node.depth, start: start)
        }
        return node
    }

    private mutating func comparison() throws -> Node {
        let start = token.start
        var modifier = ComparisonPredicate.Modifier.direct
        var isNegated = false
        if case .keyword(let keyword) = token.kind {
            switch keyword {
            case .any, .some: modifier = .any
            case .all: modifier = .all
            case .none: (modifier, isNegated) = (.any, true)
            default: break
            }
            if modifier != .direct { try advance() }
        }
        let left = try operand()
        guard case .expression(let leftExpression) = left.content else {
            guard modifier == .direct else { throw expected("an operand to compare", at: left.start) }
            return left
        }
        guard let comparisonOperator = try comparisonOperator() else {
            guard modifier == .direct else { throw unexpected("a comparison operator") }
            return left
        }
        let options = try comparisonOptions()
        let right = try operand()
        let rightExpression = try expression(right)
        let comparison = FetchPredicate.comparison(
            ComparisonPredicate(
                leftExpression, comparisonOperator, rightExpression, modifier: modifier, options: options))
        return try deeper(
            .predicate(isNegated ? .not(comparison) : comparison), than: max(left.depth, right.depth), start: start)
    }

    /// Does not consume the operator, so that the lexer can read the options after it.
    private func comparisonOperator() throws -> ComparisonPredicate.Operator? {
        switch token.kind {
        case .symbol(let symbol):
            switch symbol {
            case .equal: return .equal
            case .notEqual: return .notEqual
            case .less: return .less
            case .lessOrEqual: return .lessOrEqual
            case .greater: return .greater
            case .greaterOrEqual: return .greaterOrEqual
            case .assign: throw lexer.error("Assignment is not supported", at: token.start, code: .unsupported)
            default: return nil
            }
        case .keyword(let keyword):
            switch keyword {
            case .between: return .between
            case .in: return .in
            case .contains: return .contains
            case .beginsWith: return .beginsWith
            case .endsWith: return .endsWith
            case .like: return .like
            case .matches: return .matches
            case .utiConformsTo, .utiEquals:
                throw lexer.error("Uniform type identifiers are not supported", at: token.start, code: .unsupported)
            default: return nil
            }
        // SEARCH is an operator only after an operand; elsewhere it is a key.
        case .identifier where token.isWord("SEARCH"): return .search
        default: return nil
        }
    }

    private mutating func comparisonOptions() throws -> ComparisonPredicate.Options {
        let options = try lexer.options(after: token.end) ?? []
        try advance()
        return options
    }

    // MARK: Kinds

    func predicate(_ node: Node) throws -> FetchPredicate {
        guard case .predicate(let predicate) = node.content else { throw unexpected("a comparison operator") }
        return predicate
    }

    func expression(_ node: Node) throws -> QueryExpression {
        guard case .expression(let expression) = node.content else {
            throw expected("a value, not a condition", at: node.start)
        }
        return expression
    }

    // MARK: Tokens, depth and arguments

    mutating func advance() throws {
        previousEnd = token.end
        token = try lexer.next()
    }

    mutating func expect(_ symbol: PredicateToken.Symbol) throws {
        guard token.is(symbol) else { throw unexpected(symbol.rawValue) }
        try advance()
    }

    /// A node one level above nodes of depth `depth`.
    func deeper(_ content: Node.Content, than depth: Int, start: Int) throws -> Node {
        guard depth < Self.depthLimit else { throw tooDeep(at: start) }
        return Node(content: content, depth: depth + 1, start: start)
    }

    /// Counts one level of recursion. Called by `operand`, which every nested construct goes
    /// through, and by the prefix operators.
    mutating func enter() throws {
        nesting += 1
        guard nesting <= Self.nestingLimit else { throw tooDeep(at: token.start) }
    }

    mutating func leave() { nesting -= 1 }

    private func tooDeep(at offset: Int) -> QueryError {
        lexer.error("The predicate is nested too deep", at: offset)
    }

    func unexpected(_ expected: String) -> QueryError {
        self.expected(expected, at: token.start)
    }

    func expected(_ expected: String, at offset: Int) -> QueryError {
        let found: String
        if offset != token.start {
            found = ""
        } else if case .end = token.kind {
            found = ", found the end"
        } else {
            found = ", found \(lexer.slice(token.start, token.end))"
        }
        return lexer.error("Expected \(expected)\(found)", at: offset, expected: expected)
    }

    /// The next argument where it is an expression of its own.
    mutating func nextExpression() -> QueryExpression? {
        guard argumentsUsed < arguments.count else { return nil }
        let expression: QueryExpression
        switch arguments[argumentsUsed] {
        case let single as QueryExpression: expression = single
        case let list as [QueryExpression]: expression = .aggregate(list)
        default: return nil
        }
        argumentsUsed += 1
        return expression
    }

    /// The next argument, for the placeholder that is the current token.
    mutating func nextArgument() throws -> PropertyValue {
        guard argumentsUsed < arguments.count else {
            throw lexer.error("There is no argument for this placeholder", at: token.start, code: .argument)
        }
        argumentsUsed += 1
        return arguments[argumentsUsed - 1]?.predicateConstant ?? .null
    }
}
