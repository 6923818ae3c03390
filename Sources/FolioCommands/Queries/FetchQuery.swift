import Folio

/// The query of `fetch` and `explain`: objects, or rows of values.
struct FetchQuery {
    static let options = [
        ObjectSelection.whereOption,
        OptionSpecification(
            ["--sort"], value: "KEYS",
            "the order: keys between commas, - before one for descending, [c] [l] [n] behind one for a collation",
            repetition: .refused(hint: "write all keys in one, with commas between them")),
        OptionSpecification(["--limit"], value: "N", "at most N results"),
        OptionSpecification(["--offset"], value: "N", "leave out the first N"),
        OptionSpecification(
            ["--columns"], value: "COLUMNS",
            "only these keys and key paths, or expressions such as 'sum(price) AS total'",
            repetition: .refused(hint: "write all columns in one, with commas between them")),
        OptionSpecification(["--distinct"], "each row once"),
        OptionSpecification(
            ["--group-by"], value: "KEYS",
            "one row for each value of these keys; columns are then aggregates or what is grouped by",
            repetition: .refused(hint: "write all keys in one, with commas between them")),
        OptionSpecification(
            ["--having"], value: "PREDICATE", "a condition on groups, such as 'count > 3 AND max(year) < 1900'",
            repetition: .refused(hint: "join the conditions by AND")),
        OptionSpecification(
            ["--template"], value: "NAME", "the fetch request that the model keeps under NAME, in the place of ENTITY"),
        VariableValues.option,
    ]

    static let notes = """
        A column is a key, a key path (a to-many step gives all values), or an expression: count, sum(x), average(x), min(x), max(x), arithmetic and the functions of \
        predicates; year(x), month(x), day(x), hour(x), minute(x), second(x) and weekday(x) (1 for Monday) give the parts of a date in UTC, or with the name of a time zone as in \
        year(x, "Europe/Berlin") those there, in columns and in --where. \
        Aggregates are over all objects that are found, or over each group of --group-by; with these, expressions and --distinct, results are rows of \
        values without ids, made of what is saved. Without --columns, --group-by shows its keys and the count. A collation is [c] without case, [l] as the \
        language orders, [cl] both, [n] as file managers do.
        """

    static let formatNotes = """
        Objects come in the order of --sort; those that it does not tell apart, and all without it, by the name of their entity, then by number. Rows of --group-by and --distinct come by their columns. \
        In tables and lines NULL is nil, and "" an empty text; a text that reads so itself, or begins with a quote, stands in quotes. In CSV nil is an empty field, an empty text a pair of quotes. \
        A table that is too wide for the terminal loses the columns in which all is NULL, shows … for what is left out of others, and turns to lines where that would be illegible; --format table keeps it a table. \
        It is whole where the output is no terminal. In lines \\n is the end of a line within a value, and \\\\ a backslash.
        """

    let entity: EntityDescription
    let objects: FetchRequest<ManagedObject>
    /// The request for rows; nil if objects are requested.
    let rows: FetchRequest<[String: PropertyValue]>?
    let columns: ColumnList
    /// Whether the result is empty because of `--limit 0`, which a request can't express.
    let isEmpty: Bool

    /// The requested range of the results.
    struct Window {
        let offset: Int
        let limit: Int?

        /// - Throws: A usage error, before a document is opened.
        init(_ arguments: ParsedArguments) throws {
            offset = try arguments.count("--offset") ?? 0
            limit = try arguments.count("--limit")
        }
    }

    /// - Parameter values: The values of variables; nil for those of the arguments.
    init(
        _ arguments: ParsedArguments, _ window: Window, values: VariableValues? = nil, in store: StoreIdentity
    ) throws {
        let values = try values ?? VariableValues(arguments)
        var objects = try Self.selection(arguments, values, in: store)
        entity = try EntityLookup.entity(named: objects.entityName, in: store.model)
        let entity = entity
        let groups = try arguments.value("--group-by").map { try ColumnList($0, entity: entity) }
        var columns =
            try arguments.value("--columns").map { try ColumnList($0, entity: entity, groups: groups) }
            ?? ColumnList([])
        if let groups, columns.columns.isEmpty { columns = ColumnList(groups.columns + [ColumnList.count]) }
        let isDistinct = arguments.has("--distinct")
        if isDistinct, columns.columns.isEmpty {
            throw CommandError.usage("--distinct needs --columns: objects are distinct by themselves")
        }
        if arguments.has("--having"), groups == nil {
            throw CommandError.usage("--having is a condition on groups: it needs --group-by")
        }
        objects.fetchOffset = window.offset
        objects.fetchLimit = window.limit ?? objects.fetchLimit
        isEmpty = window.limit == 0
        let sortKeys = try arguments.value("--sort").map { try SortKey.list($0).map(Self.sortKey) } ?? []
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
        rows.havingPredicate = try arguments.value("--having").map {
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
    private static func selection(_ arguments: ParsedArguments, _ values: VariableValues, in store: StoreIdentity)
        throws -> FetchRequest<ManagedObject>
    {
        let conditions = arguments.all("--where")
        let names = ObjectSelection.variables(conditions + arguments.all("--having"))
        guard let name = arguments.value("--template") else {
            guard arguments.operands.count == 2 else {
                throw CommandError.usage("which entity? Name one, or a fetch request of the model with --template")
            }
            try values.checkUse(names)
            let name = arguments.operands[1]
            if store.model.entity(named: name) == nil, ObjectName.isName(name) {
                throw CommandError.usage(
                    "\(name) is an object, not an entity",
                    hint: "did you mean folio get \(ShellWord.quoted(arguments.operands[0])) \(name)?")
            }
            return try ObjectSelection.request(name, where: conditions, with: values, in: store)
        }
        guard arguments.operands.count == 1 else {
            throw CommandError.usage("--template names the entity by itself: leave \(arguments.operands[1]) out")
        }
        guard let template = store.model.fetchRequestTemplate(forName: name) else {
            let names = store.model.definition.fetchRequestTemplates.map(\.name)
            throw CommandError.usage(
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
            do { return try values.binding(own, of: entity, in: store) } catch var error as CommandError {
                error.why = "the template \(name): \(error.why)"
                throw error
            }
        }
        let validated = try bound?.validated(against: entity, in: store.model, store: store)
        request.predicate = validated.map { own in condition.map { .and([own, $0]) } ?? own } ?? condition
        return request
    }

    /// A description of how the store would execute the query.
    func explanation(in store: any StoreBackend) throws -> QueryExplanation {
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
