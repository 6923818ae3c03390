import Schema

extension FetchPredicate {
    /// Creates a predicate from format text and values for its placeholders.
    ///
    /// ```swift
    /// try FetchPredicate(format: "author.name BEGINSWITH[c] %@ AND year > %d", "h", 1960)
    /// try FetchPredicate(format: "%K IN %@", "title", ["Dune", "Solaris"])
    /// ```
    /// The language is that of Apple's predicate format strings: the comparisons `== != < <= > >=`,
    /// BETWEEN, IN, CONTAINS, BEGINSWITH, ENDSWITH, LIKE and MATCHES with the options `[cdnl]`;
    /// AND, OR, NOT; ANY, SOME, ALL, NONE; key paths with `@count @sum @avg @min @max`; arithmetic,
    /// functions, `SUBQUERY`, `TERNARY`, `CAST`, `FUNCTION`, `e[FIRST]`, `SELF` and `$variables`.
    /// `%@` is the placeholder of a value, `%K` of a key path, and `%d %f %c %s` and their variants
    /// of numbers and text.
    ///
    /// Names of properties are not checked here but when the predicate is validated against an
    /// entity or executed. Takes time linear in the length of the text.
    ///
    /// - Throws: ``QueryError`` with code `syntax` and the position of the error, `unsupported` for
    ///   an unknown function, or `argument` if the arguments don't fit the placeholders.
    public init(format: String, _ arguments: (any PredicateArgument)?...) throws(QueryError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Creates a predicate from format text and an array of values for its placeholders.
    ///
    /// - Throws: The errors of ``init(format:_:)``.
    public init(format: String, arguments: [(any PredicateArgument)?]) throws(QueryError) {
        self = try PredicateParser.predicate(format, arguments: arguments)
    }

    /// The predicate as format text. Parsing the text gives an equal predicate. For a predicate
    /// that is nested too deep for every use, the text is `…`.
    public var predicateFormat: String {
        guard let predicate = try? bounded() else { return "…" }
        var printer = PredicatePrinter()
        printer.write(predicate)
        return printer.text
    }
}

extension FetchPredicate: CustomStringConvertible {
    public var description: String { predicateFormat }
}

extension QueryExpression {
    /// Creates an expression from format text, such as that of a derived attribute: `items.@count`,
    /// `price * 1.2`.
    ///
    /// - Throws: The errors of ``FetchPredicate/init(format:_:)``.
    public init(format: String, _ arguments: (any PredicateArgument)?...) throws(QueryError) {
        self = try PredicateParser.expression(format, arguments: arguments)
    }

    /// Creates an expression from format text and an array of values for its placeholders.
    ///
    /// - Throws: What ``FetchPredicate/init(format:_:)`` throws.
    public init(format: String, arguments: [(any PredicateArgument)?]) throws(QueryError) {
        self = try PredicateParser.expression(format, arguments: arguments)
    }

    /// The expression as format text. Parsing the text gives an equal expression. For an expression
    /// that is nested too deep for every use, the text is `…`.
    public var expressionFormat: String {
        guard let expression = try? bounded() else { return "…" }
        var printer = PredicatePrinter()
        printer.write(expression, precedence: 0)
        return printer.text
    }
}

extension QueryExpression: CustomStringConvertible {
    public var description: String { expressionFormat }
}
