package import Folio

/// The query of `fetch` and `explain`: objects, or rows of values.
package struct FetchQuery {
    package let entity: EntityDescription
    package let objects: FetchRequest<ManagedObject>
    /// The request for rows; nil if objects are requested.
    package let rows: FetchRequest<[String: PropertyValue]>?
    package let columns: ColumnList
    /// Whether the result is empty because of `--limit 0`, which a request can't express.
    package let isEmpty: Bool

    package init(_ terms: FetchTerms, in store: StoreIdentity) throws {
        let values = terms.values
        var objects = try Self.selection(terms, in: store)
        entity = try EntityLookup.entity(named: objects.entityName, in: store.model)
        let entity = entity
        let groups = try terms.groups.map { try ColumnList($0, entity: entity) }
        var columns =
            try terms.columns.map { try ColumnList($0, entity: entity, groups: groups) }
            ?? ColumnList([])
        if let groups, columns.columns.isEmpty { columns = ColumnList(groups.columns + [ColumnList.count]) }
        let isDistinct = terms.isDistinct
        if isDistinct, columns.columns.isEmpty {
            throw InterchangeError.usage("--distinct needs --columns: objects are distinct by themselves")
        }
        if terms.having != nil, groups == nil {
            throw InterchangeError.usage("--having is a condition on groups: it needs --group-by")
        }
        objects.fetchOffset = terms.offset
        objects.fetchLimit = terms.limit ?? objects.fetchLimit
        isEmpty = terms.limit == 0
        let sortKeys = try terms.sort.map { try SortKey.list($0).map(Self.sortKey) } ?? []
        self.columns = columns

        guard groups != nil || isDistinct || !columns.isPlain else {
            for column in columns.columns where !column.isObject {
                _ = try EntityLookup.attribute(atKeyPath: column.name, of: entity, in: store.model)
            }
            objects.sortDescriptors =
                try sortKeys.map { try $0.validated(against: entity, in: store.model) } + [.objectID]
            self.objects = objects
            rows = nil
            return
        }
        var rows = FetchRequest<[String: PropertyValue]>(entityName: entity.name)
        rows.predicate = objects.predicate
        rows.sortDescriptors = sortKeys
        rows.fetchOffset = objects.fetchOffset
        rows.fetchLimit = objects.fetchLimit
        rows.propertiesToFetch = columns.columns.map(\.fetched)
        rows.propertiesToGroupBy = (groups?.columns ?? []).map(\.fetched)
        rows.havingPredicate = try terms.having.map {
            try values.binding(FetchPredicate(format: $0), of: entity, in: store)
        }
        rows.returnsDistinctResults = isDistinct
        if try !TableRequest(rows, entity: entity, model: store.model, store: store).isCollapsed {
            rows.sortDescriptors.append(.objectID)
        }
        self.objects = objects
        self.rows = rows
    }

    /// SELF is the order of objects.
    private static func sortKey(_ key: SortKey) -> SortKey {
        guard key.keyPath == ColumnList.object else { return key }
        var order = SortKey.objectID
        order.isAscending = key.isAscending
        return order
    }

    /// The objects of the entity or the template that `--where` selects.
    private static func selection(_ terms: FetchTerms, in store: StoreIdentity) throws -> FetchRequest<ManagedObject> {
        let conditions = terms.conditions, values = terms.values
        let names = ObjectSelection.variables(conditions + (terms.having.map { [$0] } ?? []))
        let name: String
        switch terms.subject {
        case .entity(let entityName):
            try values.checkUse(names)
            if store.model.entity(named: entityName) == nil, ObjectName.isName(entityName) {
                throw InterchangeError.usage(
                    "\(entityName) is an object, not an entity",
                    hint: "did you mean folio get \(ShellWord.quoted(terms.documentName)) \(entityName)?")
            }
            return try ObjectSelection.request(entityName, where: conditions, with: values, in: store)
        case .template(let templateName): name = templateName
        }
        guard let template = store.model.fetchRequestTemplate(forName: name) else {
            let names = store.model.definition.fetchRequestTemplates.map(\.name)
            throw InterchangeError.usage(
                "the model has no fetch request \(name)",
                hint: Suggestion.sentence(for: name, among: names)
                    ?? (names.isEmpty ? nil : "it has " + names.sorted().joined(separator: ", ")))
        }
        let own = try template.predicateFormat.map { try FetchPredicate(format: $0) }
        try values.checkUse((own?.variables ?? []) + names)
        var plain = template
        plain.predicateFormat = nil
        var request = try FetchRequest<ManagedObject>(template: plain)
        let entity = try EntityLookup.entity(named: request.entityName, in: store.model)
        let condition = try ObjectSelection.request(request.entityName, where: conditions, with: values, in: store)
            .predicate
        let bound = try own.map { own in
            do { return try values.binding(own, of: entity, in: store) } catch var error as InterchangeError {
                error.message = "the template \(name): \(error.message)"
                throw error
            }
        }
        let validated = try bound?.validated(against: entity, in: store.model, store: store)
        request.predicate = validated.map { own in condition.map { .and([own, $0]) } ?? own } ?? condition
        return request
    }

    /// A description of how the store would execute the query.
    package func explanation(in store: any StoreBackend) throws -> QueryExplanation {
        var request = RowRequest(
            entityIndex: entity.index, selection: .matching(objects.predicate), sortKeys: objects.sortDescriptors,
            offset: objects.fetchOffset,
            limit: isEmpty ? 0 : objects.fetchLimit > 0 ? objects.fetchLimit : nil)
        guard let rows else { return try store.explanation(of: request) }
        let table = try TableRequest(rows, entity: entity, model: store.identity.model, store: store.identity)
        (request.offset, request.limit) = (0, nil)
        do {
            return try store.explanation(of: table, of: request)
        } catch let error as QueryError where error.code == .unsupported {
            var explanation = try store.explanation(of: request)
            explanation.plan.append("IN MEMORY the rows: \(error.message)")
            return explanation
        }
    }
}
