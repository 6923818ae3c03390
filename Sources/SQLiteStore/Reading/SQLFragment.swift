package import SQLiteKit

/// A piece of SQL with the values of its `?` parameters, in order.
package struct SQLFragment: Sendable, Hashable {
    package var text: String
    package var arguments: [SQLiteValue]

    package init(_ text: String, _ arguments: [SQLiteValue] = []) {
        self.text = text
        self.arguments = arguments
    }

    package static func += (left: inout SQLFragment, right: SQLFragment) {
        left.text += right.text
        left.arguments += right.arguments
    }

    package static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.text + right.text, left.arguments + right.arguments)
    }
}

extension [SQLFragment] {
    package func joined(_ separator: String) -> SQLFragment {
        SQLFragment(map(\.text).joined(separator: separator), flatMap(\.arguments))
    }
}
