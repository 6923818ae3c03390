import Schema

extension FetchPredicate {
    /// Reads a predicate from format text, with values for its placeholders.
    ///
    /// ```swift
    /// try FetchPredicate(format: "author.name BEGINSWITH[c] %@ AND year > %d", "h", 1960)
    /// try FetchPredicate(format: "%K IN %@", "title", ["Dune", "Solaris"])
    /// ```
    /// The language is that of Apple's predicate format strings: comparisons (`== != < <= > >=`,
    /// BETWEEN, IN, CONTAINS, BEGINSWITH, ENDSWITH, LIKE, MATCHES) with the options `[cdnl]`, AND
    /// OR NOT, ANY SOME ALL NONE, key paths with `@count @sum @avg @min @max`, arithmetic,
    /// functions, `SUBQUERY`, `TERNARY`, `CAST`, `FUNCTION`, `e[FIRST]`, `SELF` and `$variables`.
    /// `%@` stands for a value, `%K` for a key path, `%d %f %c %s` and their kind for numbers and
    /// text. Reading checks no names: that happens against an entity when the predicate is run.
    /// Costs time linear in the text.
    /// - Throws: ``QueryError`` with code `syntax` and the place, `unsupported` for a function that
    ///   does not exist, or `argument` where placeholders and arguments don't fit.
    public init(format: String, _ arguments: (any PredicateArgument)?...) throws(QueryError) {
        try self.init(format: format, arguments: arguments)
    }

    /// The same with the arguments in an array.
    public init(format: String, arguments: [(any PredicateArgument)?]) throws(QueryError) {
        self = try PredicateParser.predicate(format, arguments: arguments)
    }

    /// The predicate as format text that reads back as the same predicate.
    public var predicateFormat: String {
        var printer = PredicatePrinter()
        printer.write(self)
        return printer.text
    }
}

extension FetchPredicate: CustomStringConvertible {
    public var description: String { predicateFormat }
}

extension QueryExpression {
    /// Reads an expression from format text, such as that of a derived attribute: `items.@count`,
    /// `price * 1.2`.
    /// - Throws: what ``FetchPredicate/init(format:_:)`` throws.
    public init(format: String, _ arguments: (any PredicateArgument)?...) throws(QueryError) {
        self = try PredicateParser.expression(format, arguments: arguments)
    }

    /// The expression as format text that reads back as the same expression.
    public var expressionFormat: String {
        var printer = PredicatePrinter()
        printer.write(self, precedence: 0)
        return printer.text
    }
}

extension QueryExpression: CustomStringConvertible {
    public var description: String { expressionFormat }
}
