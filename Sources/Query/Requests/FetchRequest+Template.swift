public import Schema

extension FetchRequest {
    /// The request that a model keeps as a template, with values for its variables.
    ///
    /// ```swift
    /// let template = model.description.fetchRequestTemplates[0]    // year > $since
    /// let request = try FetchRequest<ManagedObject>(template: template, substitutionVariables: ["since": 1960])
    /// ```
    /// - Throws: ``QueryError`` with code `unboundVariable` where a variable has no value (a nil is
    ///   one), or what reading the predicate throws.
    public init(template: FetchRequestTemplate, substitutionVariables: [String: (any PredicateArgument)?] = [:])
        throws(QueryError)
    {
        self.init(template.entityName)
        fetchLimit = template.fetchLimit
        includesSubentities = template.includesSubentities
        includesPropertyValues = template.includesPropertyValues
        returnsObjectsAsFaults = template.returnsObjectsAsFaults
        fetchBatchSize = template.fetchBatchSize
        returnsDistinctResults = template.returnsDistinctResults
        guard let format = template.predicateFormat else { return }
        let predicate = try FetchPredicate(format: format).withSubstitutionVariables(substitutionVariables)
        if let name = predicate.variables.first {
            throw QueryError(
                .unboundVariable, "The template \(template.name) needs a value for $\(name)", text: format,
                entity: template.entityName, key: name)
        }
        self.predicate = predicate
    }
}
