import SQLiteKit

/// SQL as a literal whose interpolations are fragments, names or values. Plain text can't be
/// interpolated, which prevents SQL injection.
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

        /// A table, a column or an alias, quoted if necessary.
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

    /// True if the fragment is false or NULL.
    var isNotTrue: SQLFragment { .sql("(\(self)) IS NOT TRUE") }

    /// Conditions joined by `separator`, " AND " or " OR ", in parentheses.
    ///
    /// SQLite's parser has a stack of a hundred entries, and its expressions are limited to a
    /// thousand levels. Therefore many conditions are nested in halves, and deep ones come first,
    /// where a level needs one stack entry instead of three.
    static func junction(_ fragments: [SQLFragment], _ separator: String) -> SQLFragment {
        guard fragments.contains(where: { $0.depth > deep }) else { return balanced(fragments[...], separator) }
        let order = fragments.enumerated().sorted { a, b in
            let (left, right) = (a.element.depth, b.element.depth)
            return left == right ? a.offset < b.offset : left > right
        }
        return balanced(order.map(\.element)[...], separator)
    }

    /// Up to this depth the conditions keep their order.
    private static let deep = 6

    /// The nesting depth of the parentheses.
    private var depth: Int {
        var depth = 0, deepest = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "(") {
                depth += 1
                deepest = max(deepest, depth)
            } else if byte == UInt8(ascii: ")") {
                depth -= 1
            }
        }
        return deepest
    }

    private static func balanced(_ fragments: ArraySlice<SQLFragment>, _ separator: String) -> SQLFragment {
        if fragments.count == 1, let only = fragments.first { return only }
        guard fragments.count > 32 else { return .sql("(\(Array(fragments).joined(separator)))") }
        let middle = fragments.startIndex + fragments.count / 2
        let halves = [balanced(fragments[..<middle], separator), balanced(fragments[middle...], separator)]
        return .sql("(\(halves.joined(separator)))")
    }
}
