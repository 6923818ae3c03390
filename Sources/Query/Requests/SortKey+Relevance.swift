package import Schema

extension SortKey {
    /// An order by how well objects fit what SEARCH looks for, the best first.
    ///
    /// ```swift
    /// request.predicate = try FetchPredicate(format: "SELF SEARCH %@", "desert planet")
    /// request.sortKeys = [.relevance(to: "desert planet")]
    /// ```
    /// - Parameters:
    ///   - query: What was searched for.
    ///   - keyPath: The text that was searched; `SELF` or an object stands for all its attributes
    ///     that the model chooses for full text.
    ///
    /// The measure depends on the texts of one object and the query alone: how often each term is
    /// found, against the length of the text. Cost: every found text is read.
    public static func relevance(to query: String, in keyPath: String = "SELF", ascending: Bool = false) -> SortKey {
        var key = SortKey(keyPath, ascending: ascending)
        key.relevanceQuery = query
        return key
    }

    /// What is sorted by, before it is validated.
    package var expression: QueryExpression {
        let components = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let path: QueryExpression =
            components == ["SELF"] ? .evaluatedObject : .keyPath(base: nil, components: components)
        guard let relevanceQuery else { return path }
        return .function(QueryFunction.relevance.rawValue, [path, .constant(.string(relevanceQuery))])
    }

    /// The expression that stores and memory run.
    /// - Throws: what validating throws.
    package func expression(for entity: Entity, in model: ManagedObjectModel) throws(QueryError) -> QueryExpression {
        try expression.validated(against: entity, in: model).expression
    }
}
