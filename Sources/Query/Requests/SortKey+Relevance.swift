package import Schema

extension SortKey {
    /// Sorts by how well objects match the query of a SEARCH, the best match first.
    ///
    /// ```swift
    /// request.predicate = try FetchPredicate(format: "SELF SEARCH %@", "desert planet")
    /// request.sortDescriptors = [.relevance(to: "desert planet")]
    /// ```
    /// - Parameters:
    ///   - query: The query of the SEARCH.
    ///   - keyPath: The text that was searched. `SELF` or an object stands for all attributes with
    ///     ``AttributeDescription/isFullTextIndexed``.
    ///   - ascending: Whether the worst match comes first.
    ///
    /// The rank depends only on the query and the texts of the object: on the frequency of each
    /// term in relation to the length of the text. The texts of all matching objects are read.
    public static func relevance(to query: String, in keyPath: String = "SELF", ascending: Bool = false) -> SortKey {
        var key = SortKey(keyPath, ascending: ascending)
        key.relevanceQuery = query
        return key
    }

    /// The expression that is sorted by, before validation.
    package var expression: QueryExpression {
        let components = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let path: QueryExpression =
            components == ["SELF"] ? .evaluatedObject : .keyPath(base: nil, components: components)
        guard let relevanceQuery else { return path }
        return .function(QueryFunction.relevance.rawValue, [path, .constant(.string(relevanceQuery))])
    }

    /// The expression that stores and the evaluation in memory execute.
    /// - Throws: An error of validation.
    package func expression(for entity: EntityDescription, in model: ManagedObjectModel) throws(QueryError)
        -> QueryExpression
    {
        try expression.validated(against: entity, in: model).expression
    }
}
