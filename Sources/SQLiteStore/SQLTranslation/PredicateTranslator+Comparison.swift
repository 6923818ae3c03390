import Query
import Schema
import SQLiteKit

// Comparisons of values. Texts and memberships are in separate files.
extension PredicateTranslator {
    func comparison(_ comparison: ComparisonPredicate, _ wanted: Bool) throws -> SQLFragment {
        if comparison.operator == .search { return try search(comparison, wanted) }
        let left = try operand(comparison.left)
        let right = try operand(comparison.right)
        switch left {
        case .scalar(let scalar):
            return try compare(scalar, comparison.operator, right, comparison.options, wanted)
        case .collection(let collection):
            if comparison.modifier == .direct {
                guard comparison.operator == .contains, case .scalar(let member) = right else {
                    throw typeError(
                        "\(comparison.left) has many values: use ANY, ALL, IN or an operator such as @count")
                }
                return try membership(of: member, in: collection, comparison.options, wanted)
            }
            // ALL means that no element fails. For both ANY and ALL one element decides.
            let isAny = comparison.modifier == .any
            let element = try scalar(collection.element)
            let decisive = try compare(element, comparison.operator, right, comparison.options, isAny)
            return exists(collection, decisive, isAny == wanted)
        case .constants(let values):
            if comparison.modifier == .direct {
                return try membership(of: member(right, of: comparison), in: values, comparison.options, wanted)
            }
            return try list(try values.map(constant), comparison, right, wanted)
        case .list(let elements):
            if comparison.modifier == .direct {
                return try membership(of: member(right, of: comparison), in: elements, comparison.options, wanted)
            }
            return try list(elements, comparison, right, wanted)
        }
    }

    /// The value whose membership in the left list is tested.
    private func member(_ right: SQLOperand, of comparison: ComparisonPredicate) throws -> SQLScalar {
        guard comparison.operator == .contains, case .scalar(let member) = right else {
            throw unsupported("a list on the left of \(comparison.operator)")
        }
        return member
    }

    /// ANY or ALL of a literal list.
    private func list(_ elements: [SQLScalar], _ comparison: ComparisonPredicate, _ right: SQLOperand, _ wanted: Bool)
        throws
        -> SQLFragment
    {
        let isAny = comparison.modifier == .any
        guard !elements.isEmpty else { return .constant(isAny != wanted) }
        let parts = try elements.map { try compare($0, comparison.operator, right, comparison.options, wanted) }
        return .junction(parts, isAny == wanted ? " OR " : " AND ")
    }

    /// Whether some element of a collection meets `condition`, or none if `wanted` is false.
    func exists(_ collection: SQLCollection, _ condition: SQLFragment?, _ wanted: Bool) -> SQLFragment {
        let rows = select(.sql("1"), from: collection.scope, condition)
        return wanted ? .sql("EXISTS (\(rows))") : .sql("NOT EXISTS (\(rows))")
    }

    /// The subquery over a scope's tables.
    func select(_ columns: SQLFragment, from scope: SQLScope, _ condition: SQLFragment? = nil) -> SQLFragment {
        let conditions = scope.conditions + (condition.map { [$0] } ?? [])
        let rows = SQLFragment.sql("SELECT \(columns) FROM \(scope.tables.joined(" "))")
        return conditions.isEmpty ? rows : .sql("\(rows) WHERE \(conditions.joined(" AND "))")
    }

    private func compare(
        _ left: SQLScalar, _ comparisonOperator: ComparisonPredicate.Operator, _ right: SQLOperand,
        _ options: ComparisonPredicate.Options, _ wanted: Bool
    ) throws -> SQLFragment {
        switch comparisonOperator {
        case .equal, .notEqual:
            let isEqual = (comparisonOperator == .equal) == wanted
            let right = try single(right, of: comparisonOperator)
            if let question = counting(left, comparisonOperator, right, wanted) { return question }
            return try equality(left, right, options, isEqual)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let right = try single(right, of: comparisonOperator)
            if let question = counting(left, comparisonOperator, right, wanted) { return question }
            return try order(left, comparisonOperator, right, options, wanted)
        case .between: return try between(left, right, options, wanted)
        case .in:
            switch right {
            case .constants(let values): return try membership(of: left, in: values, options, wanted)
            case .list(let elements): return try membership(of: left, in: elements, options, wanted)
            case .collection(let collection): return try membership(of: left, in: collection, options, wanted)
            case .scalar(let text): return try textTest(.contains, text, left, options, wanted)
            }
        case .contains, .beginsWith, .endsWith, .like, .matches, .search:
            return try textTest(comparisonOperator, left, try single(right, of: comparisonOperator), options, wanted)
        }
    }

    private func single(_ operand: SQLOperand, of comparisonOperator: ComparisonPredicate.Operator) throws -> SQLScalar
    {
        if case .scalar(let scalar) = operand { return scalar }
        throw unsupported("many values on the right of \(comparisonOperator)")
    }

    // MARK: Equality

    func equality(_ left: SQLScalar, _ right: SQLScalar, _ options: ComparisonPredicate.Options, _ isEqual: Bool) throws
        -> SQLFragment
    {
        if left.constant != nil, right.constant == nil { return try equality(right, left, options, isEqual) }
        if right.isNull { return isEqual ? .sql("\(left.sql) IS NULL") : .sql("\(left.sql) IS NOT NULL") }
        if left.isNull { return isEqual ? .sql("\(right.sql) IS NULL") : .sql("\(right.sql) IS NOT NULL") }
        guard left.kind.isComparable(with: right.kind) else {
            // Values of different kinds differ, two nils are equal.
            if right.constant != nil { return .constant(!isEqual) }
            return isEqual
                ? .sql("(\(left.sql) IS NULL AND \(right.sql) IS NULL)")
                : .sql("(\(left.sql) IS NOT NULL OR \(right.sql) IS NOT NULL)")
        }
        if left.kind == .opaque { throw unsupported("comparing a large value or a composite with anything but nil") }
        if left.isUnmatchable || right.isUnmatchable { return .constant(!isEqual) }
        let options = TextFolding.effective(options)
        if left.kind.isText, options.contains(.localeSensitive) {
            return localizedEquality(left, right, options, isEqual)
        }
        if left.kind.isText, !options.isEmpty {
            return equality(folded(left, options), folded(right, options), isEqual)
        }
        return equality(left, right, isEqual)
    }

    private func equality(_ left: SQLScalar, _ right: SQLScalar, _ isEqual: Bool) -> SQLFragment {
        if !isEqual { return .sql("\(left.sql) IS NOT \(right.sql)") }
        return right.constant == nil ? .sql("\(left.sql) IS \(right.sql)") : .sql("\(left.sql) = \(right.sql)")
    }

    private func localizedEquality(
        _ left: SQLScalar, _ right: SQLScalar, _ options: ComparisonPredicate.Options, _ isEqual: Bool
    ) -> SQLFragment {
        let order = localizedOrder(left, right, options)
        if right.constant != nil { return isEqual ? .sql("\(order) = 0") : .sql("\(order) IS NOT 0") }
        return isEqual
            ? .sql("(\(order) = 0 OR (\(left.sql) IS NULL AND \(right.sql) IS NULL))")
            : .sql("(\(order) IS NOT 0 AND (\(left.sql) IS NOT NULL OR \(right.sql) IS NOT NULL))")
    }

    // MARK: Order

    private func localizedOrder(_ left: SQLScalar, _ right: SQLScalar, _ options: ComparisonPredicate.Options)
        -> SQLFragment
    {
        .sql("FolioCompare(\(left.sql), \(right.sql), \(value: .integer(Int64(options.rawValue))))")
    }

    private func order(
        _ left: SQLScalar, _ comparisonOperator: ComparisonPredicate.Operator, _ right: SQLScalar,
        _ options: ComparisonPredicate.Options,
        _ wanted: Bool
    ) throws -> SQLFragment {
        guard let sides = try ordered([left, right], options) else { return .constant(!wanted) }
        let (a, b) = (sides[0], sides[1])
        let positive: SQLFragment
        let options = TextFolding.effective(options)
        if options.contains(.localeSensitive), left.kind.isText {
            let order = localizedOrder(left, right, options)
            positive =
                switch comparisonOperator {
                case .less: .sql("\(order) < 0")
                case .lessOrEqual: .sql("\(order) <= 0")
                case .greater: .sql("\(order) > 0")
                default: .sql("\(order) >= 0")
                }
        } else {
            positive =
                switch comparisonOperator {
                case .less: .sql("\(a) < \(b)")
                case .lessOrEqual: .sql("\(a) <= \(b)")
                case .greater: .sql("\(a) > \(b)")
                default: .sql("\(a) >= \(b)")
                }
        }
        return wanted ? positive : positive.isNotTrue
    }

    private func between(_ left: SQLScalar, _ right: SQLOperand, _ options: ComparisonPredicate.Options, _ wanted: Bool)
        throws
        -> SQLFragment
    {
        let bounds: [SQLScalar]
        switch right {
        case .constants(let values): bounds = try values.map(constant)
        case .list(let elements): bounds = elements
        default: bounds = []
        }
        guard bounds.count == 2 else { throw typeError("BETWEEN takes two bounds") }
        if TextFolding.effective(options).contains(.localeSensitive), left.kind.isText {
            let parts = [
                try order(left, .greaterOrEqual, bounds[0], options, wanted),
                try order(left, .lessOrEqual, bounds[1], options, wanted),
            ]
            return .junction(parts, wanted ? " AND " : " OR ")
        }
        guard let sides = try ordered([left] + bounds, options) else { return .constant(!wanted) }
        let positive = SQLFragment.sql("\(sides[0]) BETWEEN \(sides[1]) AND \(sides[2])")
        return wanted ? positive : positive.isNotTrue
    }

    /// The folded SQL of values to be ordered; nil if one of them is nil, because no comparison is
    /// then true.
    private func ordered(_ scalars: [SQLScalar], _ options: ComparisonPredicate.Options) throws -> [SQLFragment]? {
        for scalar in scalars {
            guard scalar.kind.hasOrder else { throw typeError("A \(scalar.kind.name) has no order") }
            guard scalar.kind.isComparable(with: scalars[0].kind) else {
                throw typeError("A \(scalars[0].kind.name) and a \(scalar.kind.name) have no common order")
            }
        }
        if scalars.contains(where: \.isNull) { return nil }
        let options = TextFolding.effective(options)
        return scalars.map { $0.kind.isText && !options.isEmpty ? folded($0, options).sql : $0.sql }
    }

    // MARK: Counts

    /// Translates the comparison of a count with 0 or 1 into EXISTS; nil for every other
    /// comparison.
    private func counting(
        _ left: SQLScalar, _ comparisonOperator: ComparisonPredicate.Operator, _ right: SQLScalar, _ wanted: Bool
    ) -> SQLFragment? {
        guard let counted = left.counted, case .int(let number) = right.constant else { return nil }
        let isAny: Bool
        switch (comparisonOperator, number) {
        case (.greater, 0), (.notEqual, 0), (.greaterOrEqual, 1): isAny = true
        case (.equal, 0), (.lessOrEqual, 0), (.less, 1): isAny = false
        default: return nil
        }
        return exists(counted.collection, counted.column.map { .sql("\($0) IS NOT NULL") }, isAny == wanted)
    }
}
