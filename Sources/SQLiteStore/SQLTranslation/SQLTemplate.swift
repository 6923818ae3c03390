import SQLiteKit

/// SQL as a literal whose interpolations are fragments, names or values: text can't get into a statement by way of it.
///
/// ```swift
/// .sql("\(name: table) WHERE \(left) = \(value: .integer(3))")   // ZBOOK WHERE t0.ZYEAR = ?
/// ```
struct SQLTemplate: ExpressibleByStringInterpolation {
    fileprivate var fragment: SQLFragment

    init(stringLiteral text: String) {
        fragment = SQLFragment(text, [])
    }

    init(stringInterpolation: StringInterpolation) {
        fragment = stringInterpolation.fragment
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragment = SQLFragment("", [])

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ text: String) {
            fragment.text += text
        }

        mutating func appendInterpolation(_ other: SQLFragment) {
            fragment += other
        }

        /// A table, a column or an alias; quoted where it has to be.
        mutating func appendInterpolation(name: String) {
            fragment.text += SQLName.quoted(name)
        }

        mutating func appendInterpolation(value: SQLiteValue) {
            fragment.text += "?"
            fragment.arguments.append(value)
        }
    }
}

extension SQLFragment {
    static func sql(_ template: SQLTemplate) -> SQLFragment { template.fragment }

    static func value(_ value: SQLiteValue) -> SQLFragment { SQLFragment("?", [value]) }

    static func constant(_ flag: Bool) -> SQLFragment { flag ? .sql("1") : .sql("0") }

    /// True where a fragment is false or NULL.
    var isNotTrue: SQLFragment { .sql("(\(self)) IS NOT TRUE") }

    /// Fragments between `separator` in parentheses, nested so that the depth of the expression grows with the logarithm of their number only.
    static func balanced(_ fragments: ArraySlice<SQLFragment>, _ separator: String) -> SQLFragment {
        if fragments.count == 1, let only = fragments.first { return only }
        guard fragments.count > 32 else { return .sql("(\(Array(fragments).joined(separator)))") }
        let middle = fragments.startIndex + fragments.count / 2
        let halves = [balanced(fragments[..<middle], separator), balanced(fragments[middle...], separator)]
        return .sql("(\(halves.joined(separator)))")
    }
}
