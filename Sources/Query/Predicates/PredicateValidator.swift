import Schema

/// Checks a tree against an entity and converts it to the form that stores and the evaluation in
/// memory execute.
///
/// The result has the same meaning, and the following holds:
/// - Paths begin at the object or at the variable of a subquery, never at SELF or another path.
///   `objectID` is replaced by SELF or the relationship.
/// - ANY and ALL occur only if the left side has many values.
/// - An aggregate of a path is `a.b.@op.c`, with the operator directly after the last to-many
///   relationship, in whichever form it was written (`sum:(a.b.c)`, `a.b.c.@sum`, `a.b[SIZE]`).
/// - Constants have the type of the value that they are compared with.
/// - Only comparisons of texts have options.
/// - `FUNCTION` is replaced by the function that it names.
/// - There are no unbound variables.
struct PredicateValidator {
    /// A validated expression. It is never validated again, because that would take time
    /// exponential in the depth of the tree.
    struct Typed {
        var expression: QueryExpression
        var type: StaticType
        /// In a path, the index of its last to-many relationship.
        var lastToMany: Int?
        /// In a path, the number of its to-many relationships.
        var toManySteps = 0
        /// The elements of a list of expressions.
        var elements: [Typed] = []
    }

    let entity: EntityDescription
    let model: ManagedObjectModel
    /// Resolves text to references; nil if no store is known.
    let store: StoreIdentity?
    /// The types of the variables of the enclosing subqueries.
    var variables: [String: StaticType] = [:]
    /// Whether an aggregate of a single value is computed over all selected objects. It then stays
    /// a function, `sum:(year)`.
    var aggregatesRows = false

    func predicate(_ predicate: FetchPredicate) throws -> FetchPredicate {
        switch predicate {
        case .constant: predicate
        case .not(let inner): .not(try self.predicate(inner))
        case .and(let parts): .and(try parts.map(self.predicate))
        case .or(let parts): .or(try parts.map(self.predicate))
        case .comparison(let comparison): .comparison(try self.comparison(comparison))
        }
    }

    // MARK: Comparisons

    private func comparison(_ comparison: ComparisonPredicate) throws -> ComparisonPredicate {
        if comparison.operator == .search { return try search(comparison) }
        var result = comparison
        let left = try expression(comparison.left)
        let right = try expression(comparison.right)
        result.left = left.expression
        result.right = right.expression
        var leftType = left.type
        if let elements = left.type.elements {
            if comparison.modifier == .direct {
                if comparison.operator == .contains {
                    return try membership(of: right, in: left, elements.type, result)
                }
                throw collectionError(left)
            }
            leftType = elements.type
        } else {
            result.modifier = .direct
        }
        let one = Typed(expression: left.expression, type: leftType)
        switch comparison.operator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            if right.type.elements != nil { throw collectionError(right) }
            let isEquality = comparison.operator == .equal || comparison.operator == .notEqual
            try align(one, right, &result)
            if !isEquality {
                for side in [one, right] where !side.type.hasOrder {
                    throw typeError("\(side.expression) is a \(side.type.name): it has no order")
                }
            }
        case .between:
            if !leftType.hasOrder { throw typeError("\(one.expression) is a \(leftType.name): it has no order") }
            result.right = try bounds(right, of: one)
        case .in:
            if right.type.elements != nil { return try membership(of: one, in: right, nil, result) }
            try requireText(one, right, comparison.operator)
        case .contains, .beginsWith, .endsWith, .like, .search:
            try requireText(one, right, comparison.operator)
        case .matches:
            try requireText(one, right, comparison.operator)
            if case .constant(let value) = right.expression, let pattern = ScalarRules.text(value) {
                _ = try RegexPattern(pattern, options: result.options)
            }
        }
        if !(leftType.isText && (right.type.isText || comparison.operator == .between)) { result.options = [] }
        return result
    }

    /// Converts the constant of a pair, or checks that two typed sides are comparable.
    private func align(_ left: Typed, _ right: Typed, _ comparison: inout ComparisonPredicate) throws {
        switch (left.expression, right.expression) {
        case (.constant, .constant): try requireComparable(left, right)
        case (_, .constant(let value)): comparison.right = .constant(try convert(value, to: left))
        case (.constant(let value), _): comparison.left = .constant(try convert(value, to: right))
        default: try requireComparable(left, right)
        }
    }

    private func requireComparable(_ left: Typed, _ right: Typed) throws {
        guard left.type.isComparable(with: right.type) else {
            throw typeError(
                "\(left.expression) is a \(left.type.name), \(right.expression) a \(right.type.name): they can't be compared"
            )
        }
    }

    private func convert(_ value: PropertyValue, to side: Typed) throws -> PropertyValue {
        if !value.isNull, case .opaque = side.type { throw opaqueError(side) }
        if !value.isNull, case .composite = side.type { throw opaqueError(side) }
        if !value.isNull, case .binary(isExternal: true) = side.type { throw opaqueError(side) }
        guard let converted = ConstantCoercion.convert(value, to: side.type, store: store) else {
            throw typeError(
                "\(side.expression) is a \(side.type.name): \(QueryExpression.constant(value)) can't be compared with it"
            )
        }
        return converted
    }

    private func bounds(_ right: Typed, of left: Typed) throws -> QueryExpression {
        switch right.expression {
        case .constant(.list(let values)) where values.count == 2:
            return .constant(.list(try values.map { try convert($0, to: left) }))
        case .aggregate where right.elements.count == 2:
            return .aggregate(try right.elements.map { try element($0, comparedWith: left) })
        default:
            throw typeError("BETWEEN takes two bounds, {lower, upper}, not \(right.expression)")
        }
    }

    private func element(_ element: Typed, comparedWith other: Typed) throws -> QueryExpression {
        if case .constant(let value) = element.expression { return .constant(try convert(value, to: other)) }
        try requireComparable(other, element)
        return element.expression
    }

    /// `one IN many` and `many CONTAINS one`. `known` is the type of the elements if `many` is on
    /// the left.
    private func membership(of one: Typed, in many: Typed, _ known: StaticType?, _ comparison: ComparisonPredicate)
        throws
        -> ComparisonPredicate
    {
        var result = comparison
        let isContains = known != nil
        var manyExpression = many.expression
        var oneExpression = one.expression
        if one.type.elements != nil { throw collectionError(one) }
        switch many.expression {
        case .constant(.list(let values)):
            if case .constant = one.expression { break }
            manyExpression = .constant(.list(try values.map { try convert($0, to: one) }))
        case .aggregate:
            let elements = try many.elements.map { try element($0, comparedWith: one) }
            // A list of constants stays one constant, so that it is looked up as a set, however
            // long it is.
            let constants = elements.compactMap { if case .constant(let value) = $0 { value } else { nil } }
            manyExpression = constants.count == elements.count ? .constant(.list(constants)) : .aggregate(elements)
        default:
            guard let elementType = many.type.elements?.type else { break }
            let side = Typed(expression: many.expression, type: elementType)
            if case .constant(let value) = one.expression {
                oneExpression = .constant(try convert(value, to: side))
            } else {
                try requireComparable(one, side)
            }
        }
        result.left = isContains ? manyExpression : oneExpression
        result.right = isContains ? oneExpression : manyExpression
        if !one.type.isText { result.options = [] }
        return result
    }

    private func requireText(_ left: Typed, _ right: Typed, _ comparisonOperator: ComparisonPredicate.Operator) throws {
        for side in [left, right] {
            guard side.type.isText else {
                throw typeError(
                    "\(PredicatePrinter.name(of: comparisonOperator)) compares strings: \(side.expression) is a \(side.type.name)"
                )
            }
        }
    }

    // MARK: Errors

    func typeError(_ message: String) -> QueryError {
        QueryError(.type, message, entity: entity.name)
    }

    private func collectionError(_ side: Typed) -> QueryError {
        typeError("\(side.expression) has many values: use ANY, ALL, IN or an operator such as @count")
    }

    private func opaqueError(_ side: Typed) -> QueryError {
        QueryError(
            .unsupported, "\(side.expression) is a \(side.type.name): it can be compared with nil only",
            entity: entity.name)
    }
}
