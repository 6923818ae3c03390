public import Schema

extension FetchRequest {
    /// Creates a request from a template of a model and values for the template's variables.
    ///
    /// ```swift
    /// let template = model.definition.fetchRequestTemplates[0]    // year > $since
    /// let request = try FetchRequest<ManagedObject>(template: template, substitutionVariables: ["since": 1960])
    /// ```
    /// - Throws: ``QueryError`` with code `unboundVariable` if a variable has no entry in the
    ///   dictionary, or what parsing the predicate throws.
    public init(template: FetchRequestTemplate, substitutionVariables: [String: (any PredicateArgument)?] = [:])
        throws(QueryError)
    {
        self.init(entityName: template.entityName)
        fetchLimit = template.fetchLimit
        includesSubentities = template.includesSubentities
        includesPropertyValues = template.includesPropertyValues
        returnsObjectsAsFaults = template.returnsObjectsAsFaults
        fetchBatchSize = template.fetchBatchSize
        returnsDistinctResults = template.returnsDistinctResults
        sortDescriptors = try template.sortTerms.map { term throws(QueryError) in try SortKey(term) }
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

extension SortKey {
    /// A term of a template.
    ///
    /// - Throws: ``QueryError`` with code `unsupported` for a method of comparison that no store
    ///   knows.
    package init(_ term: FetchRequestTemplate.SortTerm) throws(QueryError) {
        let collation: Collation
        switch term.selector {
        case nil, "compare:": collation = .binary
        case "caseInsensitiveCompare:": collation = .caseInsensitive
        case "localizedCompare:": collation = .localized
        case "localizedCaseInsensitiveCompare:": collation = .localizedCaseInsensitive
        case "localizedStandardCompare:": collation = .localizedStandard
        case let name?: throw QueryError(.unsupported, "No store can sort by \(name)", key: term.keyPath)
        }
        self.init(term.keyPath, ascending: term.isAscending, collation: collation)
    }
}
