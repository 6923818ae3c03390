import Foundation
import Query
import Schema
import SQLiteKit

/// Writes a validated predicate (`FetchPredicate.validated(against:in:store:)`) and sort keys as
/// SQL over one request's tables.
///
/// Rules that hold throughout:
/// 1. `condition(p, true)` is TRUE exactly where `p` holds, `condition(p, false)` exactly where it
///    does not; elsewhere each is false or NULL. NOT is never written around a condition: it
///    changes which of the two is asked for, so that NULL can't leak.
/// 2. Values and texts reach a statement as arguments only; the text depends on the shape of the
///    request alone.
/// 3. An object of this store is known by its key. The entity that a reference names takes no part,
///    as it does not in memory.
final class PredicateTranslator {
    let layout: StoreLayout
    let identity: StoreIdentity
    /// What `now()` is in this statement.
    let now: Date
    private(set) var statement: SelectStatement
    let root = SQLScope()
    let object: SQLObject
    /// What the variables of the subqueries around stand for.
    var variables: [String: SQLElement] = [:]

    init(_ statement: SelectStatement, layout: StoreLayout, identity: StoreIdentity, now: Date = Date()) {
        self.statement = statement
        self.layout = layout
        self.identity = identity
        self.now = now
        let alias = SelectStatement.rootAlias
        object = SQLObject(
            entityIndex: statement.storage.entityIndex, key: .sql("\(name: alias).Z_PK"), alias: alias, scope: root)
    }

    func makeAlias() -> String { statement.makeAlias() }

    /// Runs `body`; what it throws leaves no joins behind.
    func attempt<Result>(_ body: () throws -> Result) rethrows -> Result {
        let (tables, aliases, before) = (root.tables, root.aliases, statement)
        do {
            return try body()
        } catch {
            (root.tables, root.aliases, statement) = (tables, aliases, before)
            throw error
        }
    }

    // MARK: Conditions

    /// SQL that is true where `predicate` is `wanted`.
    func condition(_ predicate: FetchPredicate, _ wanted: Bool = true) throws -> SQLFragment {
        switch predicate {
        case .constant(let flag): return .constant(flag == wanted)
        case .not(let inner): return try condition(inner, !wanted)
        case .and(let parts): return try junction(parts, wanted, isAnd: true)
        case .or(let parts): return try junction(parts, wanted, isAnd: false)
        case .comparison(let comparison): return try self.comparison(comparison, wanted)
        }
    }

    private func junction(_ parts: [FetchPredicate], _ wanted: Bool, isAnd: Bool) throws -> SQLFragment {
        guard !parts.isEmpty else { return .constant(isAnd == wanted) }
        return .junction(try parts.map { try condition($0, wanted) }, isAnd == wanted ? " AND " : " OR ")
    }

    // MARK: Errors

    func unsupported(_ what: String) -> QueryError {
        QueryError(.unsupported, "SQL can't say this: \(what)", entity: layout.model.entities[object.entityIndex].name)
    }

    func typeError(_ message: String) -> QueryError {
        QueryError(.type, message, entity: layout.model.entities[object.entityIndex].name)
    }
}
