import Foundation
import Query
import Schema
import SQLiteKit

/// Translates a validated predicate (`FetchPredicate.validated(against:in:store:)`) and sort keys
/// to SQL over one request's tables.
///
/// Invariants:
/// 1. `condition(p, true)` is TRUE exactly if `p` is true, `condition(p, false)` exactly if `p` is
///    false; otherwise each is false or NULL. A condition is never wrapped in NOT. Negation selects
///    the other of the two instead, so that NULL can't leak.
/// 2. Values and texts enter a statement only as arguments. Its text depends only on the shape of
///    the request.
/// 3. An object of this store is identified by its key. The entity in a reference is ignored, as it
///    is in memory.
final class PredicateTranslator {
    let layout: StoreLayout
    let identity: StoreIdentity
    /// The value of `now()` in this statement.
    let now: Date
    /// Whether the store has an irregularity of which a statement must take account.
    let has: (Irregularity) throws -> Bool
    private(set) var statement: SelectStatement
    let root = SQLScope()
    let object: SQLObject
    /// The elements that the variables of the enclosing subqueries are bound to.
    var variables: [String: SQLElement] = [:]

    init(
        _ statement: SelectStatement, layout: StoreLayout, identity: StoreIdentity, now: Date = Date(),
        has: @escaping (Irregularity) throws -> Bool = { _ in false }
    ) {
        self.statement = statement
        self.layout = layout
        self.identity = identity
        self.now = now
        self.has = has
        let alias = SelectStatement.rootAlias
        object = SQLObject(
            entityIndex: statement.storage.entityIndex, key: .sql("\(name: alias).Z_PK"), alias: alias, scope: root)
    }

    func makeAlias() -> String { statement.makeAlias() }

    /// Runs `body`. If it throws, its joins are removed.
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

    /// SQL that is true if the value of `predicate` is `wanted`.
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
        let parts = Self.withLists(parts, isAnd: isAnd)
        if parts.count == 1 { return try condition(parts[0], wanted) }
        return .junction(try parts.map { try condition($0, wanted) }, isAnd == wanted ? " AND " : " OR ")
    }

    /// Fewer comparisons are left as they are, because SQLite makes lists of them itself.
    private static let fewComparisons = 16

    /// Many comparisons of one expression as one with a list: `a == 1 OR a == 2 …` as `a IN {1, 2
    /// …}`. SQLite compares each of its constants with all others, and looks a list up.
    private static func withLists(_ parts: [FetchPredicate], isAnd: Bool) -> [FetchPredicate] {
        guard parts.count > fewComparisons else { return parts }
        var rest: [FetchPredicate] = [], order: [QueryExpression] = []
        var lists: [QueryExpression: [(part: FetchPredicate, value: PropertyValue)]] = [:]
        for part in parts {
            guard case .comparison(let comparison) = part, comparison.modifier == .direct, comparison.options.isEmpty,
                comparison.operator == (isAnd ? .notEqual : .equal), case .constant(let value) = comparison.right,
                case .keyPath = comparison.left
            else {
                rest.append(part)
                continue
            }
            if lists[comparison.left] == nil { order.append(comparison.left) }
            lists[comparison.left, default: []].append((part, value))
        }
        for left in order {
            guard let list = lists[left], list.count > fewComparisons else {
                rest += lists[left, default: []].map(\.part)
                continue
            }
            let membership = FetchPredicate.comparison(
                ComparisonPredicate(left, .in, .constant(.list(list.map(\.value)))))
            rest.append(isAnd ? .not(membership) : membership)
        }
        return rest
    }

    // MARK: Errors

    func unsupported(_ what: String) -> QueryError {
        QueryError(.unsupported, "SQL can't say this: \(what)", entity: layout.model.entities[object.entityIndex].name)
    }

    func typeError(_ message: String) -> QueryError {
        QueryError(.type, message, entity: layout.model.entities[object.entityIndex].name)
    }
}
