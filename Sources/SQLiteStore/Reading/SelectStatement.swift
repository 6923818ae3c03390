import SQLiteKit

/// A SELECT over the rows of one entity, in parts to which a request, its predicate and its sort
/// keys add.
///
/// The alias of the entity's table is `t0`. Every further table needs an alias from `makeAlias()`
/// and a join.
package struct SelectStatement: Sendable, Hashable {
    /// The alias of the requested entity's table in all parts.
    package static let rootAlias = "t0"

    /// The requested entity.
    package let storage: EntityStorage
    /// Whole clauses, such as `LEFT JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR`.
    package var joins: [SQLFragment] = []
    /// The conditions, combined with AND.
    package var conditions: [SQLFragment] = []
    /// The expressions of GROUP BY, and the condition on the groups.
    package var groups: [SQLFragment] = []
    package var having: SQLFragment?
    /// Terms with their direction, such as `t0.ZTITLE ASC`.
    package var order: [SQLFragment] = []
    /// Set if a join can return a row several times.
    package var isDistinct = false
    package var offset = 0
    package var limit: Int?
    private var aliases = 0

    package init(_ storage: EntityStorage) {
        self.storage = storage
    }

    /// A new alias for a joined table.
    package mutating func makeAlias() -> String {
        aliases += 1
        return "t\(aliases)"
    }

    /// A column of the requested entity's table.
    package static func column(_ name: String) -> String {
        "\(rootAlias).\(SQLName.quoted(name))"
    }

    /// The complete statement that selects `columns`.
    package func selecting(_ columns: [String]) -> SQLFragment {
        selecting(SQLFragment(columns.joined(separator: ", ")))
    }

    /// The complete statement with columns that have arguments.
    func selecting(_ columns: SQLFragment) -> SQLFragment {
        var statement = SQLFragment(isDistinct ? "SELECT DISTINCT " : "SELECT ") + columns + body
        if !order.isEmpty { statement += SQLFragment(" ORDER BY ") + order.joined(", ") }
        statement += window
        return statement
    }

    /// The statement that evaluates an expression of `columns` for each row, in order. The
    /// expression includes at least one function call.
    func feeding(_ columns: [String], to expression: (_ columns: [String]) -> String) -> SQLFragment {
        // Without an ORDER BY the function is called only for the rows within the limit.
        if order.isEmpty, !isDistinct { return selecting([expression(columns)]) }
        // SQLite evaluates the function before sorting, in the order of the scan. The ORDER BY and
        // its limit therefore go into a subquery.
        let names = columns.indices.map { "c\($0)" }
        let rows = selecting(zip(columns, names).map { "\($0) AS \($1)" })
        return SQLFragment("SELECT \(expression(names)) FROM (") + rows + SQLFragment(")")
    }

    /// Whether the statement selects all rows of the table in any order.
    var isWholeTable: Bool {
        joins.isEmpty && conditions.isEmpty && order.isEmpty && !isDistinct && limit == nil && offset == 0
    }

    /// Whether the statement selects all rows of the table, ordered by primary key or in any order.
    var isWholeTableByNumber: Bool {
        var unordered = self
        if order == [Self.number] { unordered.order = [] }
        return unordered.isWholeTable
    }

    private static let number = SQLFragment("\(rootAlias).Z_PK")

    /// Excludes rows whose primary key is not positive, because they are not objects. The unary
    /// plus keeps SQLite from using the rowid for the condition.
    private static let isObject = SQLFragment("+\(rootAlias).Z_PK > 0")

    /// The same statement restricted to objects. Not needed if the statement returns keys: its
    /// reader skips the other rows.
    package var overObjects: SelectStatement {
        var statement = self
        statement.conditions.append(Self.isObject)
        return statement
    }

    /// The statement that returns the number of rows.
    package var counting: SQLFragment {
        // The order does not affect the count.
        if !order.isEmpty {
            var unordered = self
            unordered.order = []
            return unordered.counting
        }
        let table = SQLName.quoted(storage.table)
        // Counting all rows is faster than checking each key. There are hardly ever invalid rows to
        // subtract.
        if isWholeTable {
            return SQLFragment(
                "SELECT (SELECT count(*) FROM \(table)) - (SELECT count(*) FROM \(table) WHERE Z_PK <= 0)")
        }
        guard joins.isEmpty, !isDistinct, groups.isEmpty, having == nil, limit == nil, offset == 0, nesting <= 16 else {
            return overObjects.countingRows
        }
        // Checking each key takes a fifth of a simple condition's time. The invalid rows are found
        // by primary key, whichever index serves the condition.
        var others = self
        others.conditions.append(SQLFragment("\(Self.rootAlias).Z_PK <= 0"))
        return SQLFragment("SELECT (") + countingRows
            + SQLFragment(") - (SELECT count(*) FROM \(table) \(Self.rootAlias) NOT INDEXED WHERE ")
            + others.conditions.joined(" AND ")
            + SQLFragment(")")
    }

    /// The nesting depth of the conditions. SQLite's parser supports a hundred levels in all, so
    /// deep conditions must not be nested further in subqueries.
    private var nesting: Int {
        var deepest = 0, depth = 0
        for condition in conditions {
            for byte in condition.text.utf8 {
                if byte == UInt8(ascii: "(") { depth += 1 } else if byte == UInt8(ascii: ")") { depth -= 1 }
                deepest = max(deepest, depth)
            }
        }
        return deepest
    }

    private var countingRows: SQLFragment {
        if window.text.isEmpty {
            return SQLFragment(isDistinct ? "SELECT count(DISTINCT \(Self.rootAlias).Z_PK)" : "SELECT count(*)") + body
        }
        let key = "SELECT \(isDistinct ? "DISTINCT " : "")\(Self.rootAlias).Z_PK"
        return SQLFragment("SELECT count(*) FROM (\(key)") + body + window + SQLFragment(")")
    }

    private var body: SQLFragment {
        var body = SQLFragment(" FROM \(SQLName.quoted(storage.table)) \(Self.rootAlias)")
        for join in joins { body += SQLFragment(" ") + join }
        if !conditions.isEmpty { body += SQLFragment(" WHERE ") + conditions.joined(" AND ") }
        if !groups.isEmpty { body += SQLFragment(" GROUP BY ") + groups.joined(", ") }
        if let having { body += SQLFragment(" HAVING ") + having }
        return body
    }

    private var window: SQLFragment {
        guard limit != nil || offset > 0 else { return SQLFragment("") }
        return SQLFragment(" LIMIT ? OFFSET ?", [.integer(Int64(limit ?? -1)), .integer(Int64(offset))])
    }
}
