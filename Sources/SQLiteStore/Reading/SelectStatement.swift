import SQLiteKit

/// A SELECT over the rows of one entity, in parts: what a request, its predicate and its sort keys
/// add to.
///
/// The entity's table is `t0`; whoever needs another table asks for an alias and adds a join.
package struct SelectStatement: Sendable, Hashable {
    /// The name of the requested entity's table in all parts.
    package static let rootAlias = "t0"

    /// The requested entity.
    package let storage: EntityStorage
    /// Whole clauses, such as `LEFT JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR`.
    package var joins: [SQLFragment] = []
    /// All of these hold.
    package var conditions: [SQLFragment] = []
    /// What groups are made by, and a condition on them.
    package var groups: [SQLFragment] = []
    package var having: SQLFragment?
    /// Terms with their direction, such as `t0.ZTITLE ASC`.
    package var order: [SQLFragment] = []
    /// Set where a join can give a row several times.
    package var isDistinct = false
    package var offset = 0
    package var limit: Int?
    private var aliases = 0

    package init(_ storage: EntityStorage) {
        self.storage = storage
    }

    /// A new name for a joined table.
    package mutating func makeAlias() -> String {
        aliases += 1
        return "t\(aliases)"
    }

    /// A column of the requested entity's table.
    package static func column(_ name: String) -> String {
        "\(rootAlias).\(SQLName.quoted(name))"
    }

    /// The statement that gives `columns`, in full.
    package func selecting(_ columns: [String]) -> SQLFragment {
        selecting(SQLFragment(columns.joined(separator: ", ")))
    }

    /// The same with columns that have arguments.
    func selecting(_ columns: SQLFragment) -> SQLFragment {
        var statement = SQLFragment(isDistinct ? "SELECT DISTINCT " : "SELECT ") + columns + body
        if !order.isEmpty { statement += SQLFragment(" ORDER BY ") + order.joined(", ") }
        statement += window
        return statement
    }

    /// The statement that gives an expression of `columns` for each row, in order; the expression
    /// is one call of a function at least.
    func feeding(_ columns: [String], to expression: (_ columns: [String]) -> String) -> SQLFragment {
        // Without an order the function is called for the rows of the window alone.
        if order.isEmpty, !isDistinct { return selecting([expression(columns)]) }
        // Before it sorts, SQLite calls the function in the order of the scan: the order goes
        // inside, and what belongs to it.
        let names = columns.indices.map { "c\($0)" }
        let rows = selecting(zip(columns, names).map { "\($0) AS \($1)" })
        return SQLFragment("SELECT \(expression(names)) FROM (") + rows + SQLFragment(")")
    }

    /// Whether it selects all rows of the table, in whatever order.
    var isWholeTable: Bool {
        joins.isEmpty && conditions.isEmpty && order.isEmpty && !isDistinct && limit == nil && offset == 0
    }

    /// Whether it selects all rows of the table, in the order in which the table has them or in
    /// whatever order.
    var isWholeTableByNumber: Bool {
        var unordered = self
        if order == [Self.number] { unordered.order = [] }
        return unordered.isWholeTable
    }

    private static let number = SQLFragment("\(rootAlias).Z_PK")

    /// Rows with numbers that no object can have are none of its rows. The sign keeps SQLite from
    /// choosing the table's own order for it.
    private static let isObject = SQLFragment("+\(rootAlias).Z_PK > 0")

    /// The same over rows of objects alone. Statements that give their keys need not: whoever reads
    /// those leaves the others out.
    package var overObjects: SelectStatement {
        var statement = self
        statement.conditions.append(Self.isObject)
        return statement
    }

    /// The statement that gives one number: how many rows there are.
    package var counting: SQLFragment {
        // An order does not change how many there are.
        if !order.isEmpty {
            var unordered = self
            unordered.order = []
            return unordered.counting
        }
        let table = SQLName.quoted(storage.table)
        // Counting all rows is quicker than asking each, and there are hardly ever others to take
        // away.
        if isWholeTable {
            return SQLFragment(
                "SELECT (SELECT count(*) FROM \(table)) - (SELECT count(*) FROM \(table) WHERE Z_PK <= 0)")
        }
        guard joins.isEmpty, !isDistinct, groups.isEmpty, having == nil, limit == nil, offset == 0, nesting <= 16 else {
            return overObjects.countingRows
        }
        // Asking each takes a fifth of a simple condition's time. The others are found by their
        // numbers, whatever index serves the condition.
        var others = self
        others.conditions.append(SQLFragment("\(Self.rootAlias).Z_PK <= 0"))
        return SQLFragment("SELECT (") + countingRows
            + SQLFragment(") - (SELECT count(*) FROM \(table) \(Self.rootAlias) NOT INDEXED WHERE ")
            + others.conditions.joined(" AND ")
            + SQLFragment(")")
    }

    /// How deep the conditions go. SQLite's parser has room for a hundred levels in all: deep ones
    /// have none left to stand in statements within statements.
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
