import Query
import Schema
import SQLiteKit

// IN and CONTAINS of lists and collections.
extension PredicateTranslator {
    func membership(
        of member: SQLScalar, in values: [PropertyValue], _ options: ComparisonPredicate.Options, _ wanted: Bool
    ) throws -> SQLFragment {
        if member.isNull { return .constant(values.contains(where: ScalarRules.isNull) == wanted) }
        var constants: [SQLScalar] = []
        var hasNull = false
        for value in values {
            if ScalarRules.isNull(value) { hasNull = true; continue }
            // Values that can't be compared are not equal.
            guard let scalar = try? constant(value), !scalar.isUnmatchable, scalar.kind.isComparable(with: member.kind)
            else { continue }
            constants.append(scalar)
        }
        if constants.isEmpty {
            return hasNull ? .sql("\(member.sql) IS \(wanted ? .sql("NULL") : .sql("NOT NULL"))") : .constant(!wanted)
        }
        if member.kind == .opaque { throw unsupported("comparing a large value or a composite with anything but nil") }
        var sql = member.sql
        let options = TextFolding.effective(options)
        if member.kind.isText, options.contains(.localeSensitive) {
            if hasNull { constants.append(try constant(.null)) }
            return try membership(of: member, in: constants, options, wanted)
        }
        if member.kind.isText, !options.isEmpty {
            sql = folded(member, options).sql
            constants = constants.map { folded($0, options) }
        }
        let list = SQLValueList.fragment(constants.flatMap(\.sql.arguments))
        // `x NOT IN list` is false or NULL if x is nil, which is the required result if the list
        // has a nil.
        switch (hasNull, wanted) {
        case (false, true): return .sql("\(sql) IN \(list)")
        case (false, false): return SQLFragment.sql("\(sql) IN \(list)").isNotTrue
        case (true, true): return .sql("(\(sql) IN \(list) OR \(sql) IS NULL)")
        case (true, false): return .sql("\(sql) NOT IN \(list)")
        }
    }

    func membership(
        of member: SQLScalar, in elements: [SQLScalar], _ options: ComparisonPredicate.Options, _ wanted: Bool
    ) throws -> SQLFragment {
        guard !elements.isEmpty else { return .constant(!wanted) }
        let parts = try elements.map { try equality(member, $0, options, wanted) }
        return .junction(parts, wanted ? " OR " : " AND ")
    }

    func membership(
        of member: SQLScalar, in collection: SQLCollection, _ options: ComparisonPredicate.Options, _ wanted: Bool
    ) throws -> SQLFragment {
        exists(collection, try equality(scalar(collection.element), member, options, true), wanted)
    }
}
