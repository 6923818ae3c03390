import Schema

/// Resolves the names in columns, groups and their conditions.
struct TableResolver {
    let entity: EntityDescription
    let model: ManagedObjectModel
    let store: StoreIdentity?

    func error(_ message: String, key: String? = nil) -> QueryError {
        QueryError(.type, message, entity: entity.name, key: key)
    }

    // MARK: Columns

    /// The requested columns, or all persistent attributes if there are none.
    func columns(_ wanted: [FetchColumn]) throws -> [TableColumn] {
        let stored = entity.properties.filter { property in
            property.attribute.map { !property.isTransient && $0.type != .undefined && $0.type != .objectID } ?? false
        }
        var names: Set<String> = []
        return try (wanted.isEmpty ? stored.map { .keyPath($0.name) } : wanted).map { column in
            if !names.insert(column.name).inserted {
                throw error("Two columns have the name \(column.name)", key: column.name)
            }
            return try self.column(column)
        }
    }

    private func column(_ column: FetchColumn) throws -> TableColumn {
        switch column {
        case .keyPath(let path):
            let (expression, type) = try QueryExpression.keyPath(path).validated(
                against: entity, in: model, store: store, aggregatesRows: true)
            try requireOne(type, path)
            return TableColumn(path, expression, type)
        case .expression(let description):
            let (expression, type) = try description.expression.validated(
                against: entity, in: model, store: store, aggregatesRows: true)
            try requireOne(type, description.name)
            return TableColumn(description.name, expression, type, resultType: description.expressionResultType)
        }
    }

    private func requireOne(_ type: StaticType, _ name: String) throws {
        if type.elements != nil {
            throw error("\(name) has many values for each object: a column has one, such as \(name).@count", key: name)
        }
    }

    // MARK: Groups

    func group(_ column: FetchColumn) throws -> QueryExpression {
        let column = try self.column(column)
        if column.expression.aggregatesRows {
            throw error(
                "Objects can't be grouped by \(column.name), which is an aggregate over groups", key: column.name)
        }
        if !column.isComparable {
            throw error(
                "Objects can't be grouped by \(column.name): a \(column.type.name) can't be told from another",
                key: column.name)
        }
        return column.expression
    }

    func checkGrouping(_ columns: [TableColumn], _ groups: [QueryExpression]) throws(QueryError) {
        for column in columns where !column.expression.isConstant(inGroupsBy: groups) {
            let reason =
                groups.isEmpty
                ? "without groups, only aggregates and constants stand beside an aggregate"
                : "it is no aggregate and nothing that groups are made by"
            throw error("The column \(column.name) has no value for a whole group: \(reason)", key: column.name)
        }
    }

    /// The condition on groups, with column names replaced by the expressions of the columns.
    func having(_ predicate: FetchPredicate, _ columns: [TableColumn], _ groups: [QueryExpression]) throws
        -> FetchPredicate
    {
        guard !groups.isEmpty else { throw error("A condition on groups needs something to group by") }
        let byName = Dictionary(columns.map { ($0.name, $0.expression) }) { first, _ in first }
        let resolved = predicate.replacing { expression, bound in
            switch expression {
            case .variable(let name) where !bound.contains(name): return byName[name]
            case .keyPath(nil, let components):
                let name = components.joined(separator: ".")
                // A property takes precedence over a column with the same name.
                return entity.property(named: components[0]) == nil ? byName[name] : nil
            default: return nil
            }
        }
        let validated = try QueryError.typed {
            var validator = PredicateValidator(entity: entity, model: model, store: store)
            validator.aggregatesRows = true
            return try validator.predicate(resolved)
        }
        guard validated.isConstant(inGroupsBy: groups) else {
            throw error(
                "A condition on groups takes aggregates and what groups are made by: \(predicate) asks for more")
        }
        return validated
    }

    // MARK: Order

    func term(_ key: SortKey, _ columns: [TableColumn], groups: [QueryExpression], isCollapsed: Bool) throws
        -> TableRequest.Term
    {
        if key.ordersObjects || key.keyPath == SortKey.objectID.keyPath,
            try key.validated(against: entity, in: model).ordersObjects
        {
            guard !isCollapsed else {
                throw error("Rows that stand for several objects can't be sorted by \(key.keyPath)", key: key.keyPath)
            }
            return TableRequest.Term(
                expression: .evaluatedObject, column: nil, isAscending: key.isAscending, collation: key.collation,
                ordersObjects: true)
        }
        if key.relevanceQuery == nil, let place = columns.firstIndex(where: { $0.name == key.keyPath }) {
            guard columns[place].type.hasOrder else {
                throw error("Rows can't be sorted by \(key.keyPath), a \(columns[place].type.name)", key: key.keyPath)
            }
            return TableRequest.Term(
                expression: columns[place].expression, column: place, isAscending: key.isAscending,
                collation: key.collation)
        }
        let valid = try key.validated(against: entity, in: model)
        let (expression, _) = try
            (valid.relevanceQuery == nil ? QueryExpression.keyPath(valid.keyPath) : valid.expression).validated(
                against: entity, in: model, store: store)
        if isCollapsed, !expression.isConstant(inGroupsBy: groups) {
            throw error(
                "Rows can't be sorted by \(key.keyPath): it is neither a column nor something that groups are made by",
                key: key.keyPath)
        }
        return TableRequest.Term(
            expression: expression, column: nil, isAscending: key.isAscending, collation: key.collation)
    }
}
