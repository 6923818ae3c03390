import Query
import Schema

extension NSFetchRequest {
    /// - Throws: `QueryError` for a predicate that can't be parsed, `ModelError` for a result type
    ///   that there is not.
    convenience init(_ template: FetchRequestTemplate) throws {
        self.init()
        guard let type = UInt(exactly: template.resultType), [0, 1, 2, 4].contains(type) else {
            throw ModelError(
                .invalid, "The fetch request “\(template.name)” has the result type \(template.resultType)")
        }
        content.source = template
        content.entityName = template.entityName
        predicate = try template.predicateFormat.map { FormatPredicate.make(try FetchPredicate(format: $0)) }
        fetchLimit = template.fetchLimit
        fetchBatchSize = template.fetchBatchSize
        includesSubentities = template.includesSubentities
        includesPropertyValues = template.includesPropertyValues
        returnsObjectsAsFaults = template.returnsObjectsAsFaults
        returnsDistinctResults = template.returnsDistinctResults
        resultType = NSFetchRequestResultType(rawValue: type)
        sortDescriptors = template.sortTerms.isEmpty ? nil : template.sortTerms.map { KeySortDescriptor($0) }
    }

    /// What a model keeps of the request.
    ///
    /// - Throws: `QueryError` for a predicate or a sort descriptor of a closure, which no model can
    ///   keep.
    func template(named name: String) throws -> FetchRequestTemplate {
        let own = try ownTemplate(named: name)
        guard let source = content.source else { return own }
        let unchanged = try NSFetchRequest(source).ownTemplate(named: name)
        var template = own == unchanged ? source : own
        (template.name, template.extraMarkup) = (name, source.extraMarkup)
        return template
    }

    private func ownTemplate(named name: String) throws -> FetchRequestTemplate {
        var template = FetchRequestTemplate(
            name, entityName: entityName ?? "",
            predicateFormat: try predicate?.fetchPredicate().predicateFormat, fetchLimit: fetchLimit,
            fetchBatchSize: fetchBatchSize, includesSubentities: includesSubentities,
            includesPropertyValues: includesPropertyValues, returnsObjectsAsFaults: returnsObjectsAsFaults,
            returnsDistinctResults: returnsDistinctResults, resultType: Int(resultType.rawValue))
        template.sortTerms = zip(try sortKeys(), sortDescriptors ?? []).map { key, descriptor in
            KeySortDescriptor.term(key, descriptor.selector)
        }
        return template
    }

    /// The sort order for Folio's requests.
    ///
    /// - Throws: `QueryError` for a descriptor of a closure.
    func sortKeys() throws -> [SortKey] {
        try (sortDescriptors ?? []).map { descriptor in
            guard let key = descriptor.sortKey else {
                throw QueryError(.unsupported, "A sort descriptor without a key can't be run by a store")
            }
            return key
        }
    }

    /// Names the entity of another model, where the request names one by its description.
    func lead(into entities: [String: NSEntityDescription]) {
        if let name = content.entity?.name, let found = entities[name] { content.entity = found }
    }
}

extension KeySortDescriptor {
    /// A term of a request that a model keeps.
    static func term(_ key: SortKey, _ selector: Selector?) -> FetchRequestTemplate.SortTerm {
        FetchRequestTemplate.SortTerm(key.keyPath, ascending: key.isAscending, selector: selector?.name)
    }

    convenience init(_ term: FetchRequestTemplate.SortTerm) {
        let selector = term.selector.map { Selector($0) }
        self.init(
            SortKey(term.keyPath, ascending: term.isAscending, collation: KeySortDescriptor.collation(selector)),
            selector: selector)
    }
}
