import Query
import Schema
import SQLiteKit

/// What is known of the values of a piece of SQL. Two kinds have a common order or equality only
/// where `isComparable` says so.
enum SQLKind: Hashable {
    /// NULL and nothing else.
    case null
    /// Integers, booleans, Doubles and Floats: the storage class is the value's own.
    case number
    /// Numbers that count as Doubles; SQLite may keep whole ones as integers.
    case decimal
    /// Seconds since 2001; SQLite may keep whole ones as integers.
    case date
    case text
    /// Texts too, for all but collations.
    case uri
    case bytes
    case uuid
    /// `Z_PK` of a hierarchy: its root's position in the model.
    case object(root: Int)
    /// Can be compared with nil only: large values, which may be in files, and composites.
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

/// An expression with one value.
struct SQLScalar {
    var sql: SQLFragment
    var kind: SQLKind
    /// The value where it is known: bound as the only argument of `sql`.
    var constant: PropertyValue?
    /// A column as it stands: cheap to repeat, and perhaps indexed.
    var isColumn = false
    /// How the column holds its values, where the expression is a column of an attribute.
    var attribute: AttributeColumn?
    /// The table and the key of the row that the column belongs to, where the value is a column of
    /// an entity's own.
    var row: (table: String, key: SQLFragment)?
    /// The object that the value is the key of.
    var object: SQLObject?
    /// The collection whose size this is, and the column that has to have a value for an element to
    /// count.
    var counted: (collection: SQLCollection, column: SQLFragment?)?

    var isNull: Bool { kind == .null }

    /// A reference that no object of this store can be.
    var isUnmatchable: Bool {
        if case .object = constant { sql.arguments == [.null] } else { false }
    }

    /// The number as functions and arithmetic take it: with the storage class that the rules of
    /// values ask for.
    var number: SQLFragment {
        switch kind {
        case .decimal, .date: .sql("CAST(\(sql) AS REAL)")
        default: sql
        }
    }
}

/// An object that a path leads to: its key, and its row once somebody needs more of it.
struct SQLObject {
    let entityIndex: Int
    /// Its `Z_PK`; NULL where there is none.
    let key: SQLFragment
    /// The table that stands for it, nil while only the key is known.
    let alias: String?
    /// Where a join for its row belongs.
    let scope: SQLScope
}

/// What a path has come to.
indirect enum SQLElement {
    case scalar(SQLScalar)
    case object(SQLObject)
    /// A composite or a part of one: the leaves that remain, by their names from here.
    case composite([CompositeLeaf], alias: String)
}

/// The many values of a path through a to-many relationship, or those that a subquery leaves.
struct SQLCollection {
    let scope: SQLScope
    var element: SQLElement
    /// Terms without directions that give the elements their order; nil where they have none.
    var order: [SQLFragment]?
    /// Where the object that the collection belongs to stands.
    let outer: SQLScope
}

/// What an expression of a predicate becomes.
enum SQLOperand {
    case scalar(SQLScalar)
    case constants([PropertyValue])
    case list([SQLScalar])
    case collection(SQLCollection)
}

/// The tables of one SELECT: that of the request, or that of a sub-select over a collection.
final class SQLScope {
    /// For a sub-select its first table, then clauses such as `LEFT JOIN ZAUTHOR t1 ON …`; for the
    /// request its joins alone.
    var tables: [SQLFragment] = []
    var conditions: [SQLFragment] = []
    /// The alias of the row that a key leads to, so that two paths share a join.
    var aliases: [SQLFragment: String] = [:]
}
