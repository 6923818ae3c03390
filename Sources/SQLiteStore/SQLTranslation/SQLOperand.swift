import Query
import Schema
import SQLiteKit

/// The known type of a SQL expression. Two kinds can be compared or ordered only if `isComparable`
/// is true.
enum SQLKind: Hashable {
    /// NULL only.
    case null
    /// Integers, booleans, Doubles and Floats, in the storage class of the value.
    case number
    /// Numbers treated as Doubles. SQLite may store integral ones as integers.
    case decimal
    /// Seconds since 2001. SQLite may store integral ones as integers.
    case date
    case text
    /// Like text, except for collations.
    case uri
    case bytes
    case uuid
    /// `Z_PK` of a hierarchy, identified by the index of its root in the model.
    case object(root: Int)
    /// Can be compared only with nil: large values, which may be in files, and composites.
    case opaque

    func isComparable(with other: SQLKind) -> Bool {
        switch (self, other) {
        case (.null, _), (_, .null): true
        case (.number, .decimal), (.decimal, .number), (.text, .uri), (.uri, .text): true
        default: self == other
        }
    }

    var hasOrder: Bool {
        switch self {
        case .object, .opaque: false
        default: true
        }
    }

    var isText: Bool { self == .text || self == .uri }

    var name: String {
        switch self {
        case .null: "nil"
        case .number, .decimal: "number"
        case .date: "date"
        case .text: "string"
        case .uri: "URI"
        case .bytes: "binary value"
        case .uuid: "UUID"
        case .object: "reference"
        case .opaque: "large value"
        }
    }
}

/// An expression with a single value.
struct SQLScalar {
    var sql: SQLFragment
    var kind: SQLKind
    /// The value if it is constant. It is then bound as the only argument of `sql`.
    var constant: PropertyValue?
    /// Whether the expression is a plain column: cheap to repeat, and possibly indexed.
    var isColumn = false
    /// The storage of the values, if the expression is an attribute's column.
    var attribute: AttributeColumn?
    /// The table and the key of the row, if the expression is a column of an entity's own table.
    var row: (table: String, key: SQLFragment)?
    /// The object whose key this value is.
    var object: SQLObject?
    /// The collection whose size this is, and the column that must not be NULL for an element to
    /// count.
    var counted: (collection: SQLCollection, column: SQLFragment?)?

    var isNull: Bool { kind == .null }

    /// Whether this is a reference that matches no object of this store.
    var isUnmatchable: Bool {
        if case .object = constant { sql.arguments == [.null] } else { false }
    }

    /// The number for functions and arithmetic, in the storage class that the rules for values
    /// require.
    var number: SQLFragment {
        switch kind {
        case .decimal, .date: .sql("CAST(\(sql) AS REAL)")
        default: sql
        }
    }
}

/// An object at the end of a path: its key, and its row if more of it is needed.
struct SQLObject {
    let entityIndex: Int
    /// Its `Z_PK`; NULL if there is no object.
    let key: SQLFragment
    /// The alias of the object's table; nil if only the key is known.
    let alias: String?
    /// The scope to which a join for its row is added.
    let scope: SQLScope
}

/// The current element of a key path.
indirect enum SQLElement {
    case scalar(SQLScalar)
    case object(SQLObject)
    /// A composite or a part of it: the remaining leaves, with their names relative to this part.
    case composite([CompositeLeaf], alias: String, table: String)
}

/// The values of a path through a to-many relationship, or the results of a subquery.
struct SQLCollection {
    let scope: SQLScope
    var element: SQLElement
    /// Order terms without directions; nil if the elements have no order.
    var order: [SQLFragment]?
    /// The scope of the object that owns the collection.
    let outer: SQLScope
}

/// The translation of an expression of a predicate.
enum SQLOperand {
    case scalar(SQLScalar)
    case constants([PropertyValue])
    case list([SQLScalar])
    case collection(SQLCollection)
}

/// The tables of one SELECT: that of the request, or a subquery over a collection.
final class SQLScope {
    /// For a subquery its first table, then clauses such as `LEFT JOIN ZAUTHOR t1 ON …`; for the
    /// request only its joins.
    var tables: [SQLFragment] = []
    var conditions: [SQLFragment] = []
    /// The alias of the row with a key, so that two paths share a join.
    var aliases: [SQLFragment: String] = [:]
}
