import Schema

// SEARCH and relevance: objects are replaced by their texts.
extension PredicateValidator {
    /// The canonical form of a search: a text, or a list of texts of one object, on the left, and a
    /// string on the right.
    func search(_ comparison: ComparisonPredicate) throws -> ComparisonPredicate {
        var result = comparison
        result.options = []
        guard case .constant(let query) = try expression(comparison.right).expression,
            query.isNull || ScalarRules.text(query) != nil
        else {
            throw typeError("SEARCH takes a string on its right side, not \(comparison.right)")
        }
        result.right = .constant(.string(ScalarRules.text(query) ?? ""))
        let left = try expression(comparison.left)
        if let elements = left.type.elements, !isList(left.expression) {
            guard comparison.modifier != .direct else {
                throw typeError("\(left.expression) has many values: use ANY or ALL")
            }
            if case .object = elements.type {
                throw QueryError(
                    .unsupported, "SEARCH of many objects names the attribute: \(left.expression).…",
                    entity: entity.name)
            }
            try requireSearchable(elements.type, left.expression)
            result.left = left.expression
            return result
        }
        result.modifier = .direct
        switch left.expression {
        case .aggregate:
            for element in left.elements { try requireSearchable(element.type, element.expression) }
            result.left = left.expression
        default:
            if case .object(let owner) = left.type {
                result.left = .aggregate(try texts(of: owner, at: left))
            } else {
                try requireSearchable(left.type, left.expression)
                result.left = left.expression
            }
        }
        return result
    }

    /// `relevance:to:(title, "desert")`. The relevance of an object is the sum of the relevance of
    /// its texts.
    func relevance(_ arguments: [Typed]) throws -> Typed {
        guard case .constant(let query) = arguments[1].expression, query.isNull || ScalarRules.text(query) != nil else {
            throw typeError("relevance:to: takes a string as its second argument, not \(arguments[1].expression)")
        }
        let name = QueryFunction.relevance.rawValue
        let subject = arguments[0]
        guard case .object(let owner) = subject.type else {
            try requireSearchable(subject.type, subject.expression)
            return Typed(
                expression: .function(name, [subject.expression, arguments[1].expression]), type: .number(nil))
        }
        let parts = try texts(of: owner, at: subject).map {
            QueryExpression.function(name, [$0, arguments[1].expression])
        }
        let sum = parts.dropFirst().reduce(parts[0]) { .function(QueryFunction.add.rawValue, [$0, $1]) }
        return Typed(expression: sum, type: .number(nil))
    }

    /// Checks the index name in `indexed:by:`. The store decides which index it uses.
    func indexed(_ arguments: [Typed]) throws -> Typed {
        guard case .constant(.string(let name)) = arguments[1].expression else {
            throw typeError(
                "indexed:by: takes the name of an index as its second argument, not \(arguments[1].expression)")
        }
        let owners = sequence(first: entity) { $0.superentity }
        let names = owners.flatMap { $0.definition.indexes.map(\.name) }
        guard names.contains(name) else {
            let near = NearestNames.nearest(to: name, among: names)
            throw QueryError(
                .unknownKey, "\(entity.name) has no index \"\(name)\"" + NearestNames.question(near),
                entity: entity.name, key: name, suggestions: near)
        }
        return arguments[0]
    }

    private func isList(_ expression: QueryExpression) -> Bool {
        if case .aggregate = expression { true } else { false }
    }

    private func requireSearchable(_ type: StaticType, _ expression: QueryExpression) throws {
        guard type.isText else { throw typeError("SEARCH looks for words in strings: \(expression) is a \(type.name)") }
    }

    /// The paths to the full-text indexed attributes of an object.
    private func texts(of owner: EntityDescription, at object: Typed) throws -> [QueryExpression] {
        let names = owner.fullTextAttributes.map(\.name)
        guard !names.isEmpty else {
            throw QueryError(
                .unsupported,
                "\(owner.name) has no attributes that are chosen for full text: name those to search, {title, summary} SEARCH …",
                entity: owner.name)
        }
        return try names.map { try path(from: object, [$0]).expression }
    }
}
