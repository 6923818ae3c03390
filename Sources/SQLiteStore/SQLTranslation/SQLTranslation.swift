package import Query
package import SQLiteKit

/// Turns predicates and sort keys into SQL.
package enum SQLTranslation {
    /// Adds the condition that a predicate is.
    /// - Throws: `QueryError` where SQL can't say it.
    package static func add(_ predicate: FetchPredicate, to statement: inout SelectStatement, layout: StoreLayout) throws {
        switch predicate {
        case .constant(true): return
        case .constant(false): statement.conditions.append(SQLFragment("0"))
        default: throw QueryError(.unsupported, "Predicates are not translated to SQL yet")
        }
    }

    /// Adds the order that sort keys give.
    /// - Throws: `QueryError` where SQL can't say it.
    package static func add(_ sortKeys: [SortKey], to statement: inout SelectStatement, layout: StoreLayout) throws {
        guard sortKeys.isEmpty else { throw QueryError(.unsupported, "Sort keys are not translated to SQL yet") }
    }

    /// Gives a connection the functions that translated predicates call.
    package static func registerFunctions(on connection: Connection) throws {}
}
