import Foundation
import Query
package import Schema
import SQLiteKit
package import Storage

/// Translates requests to SQL.
package enum SQLTranslation {
    /// The statement for a request, without its columns. The parts of a top-level AND in the
    /// predicate are translated separately: parts that SQL can't express become the residual.
    /// - Throws: `QueryError` of any code except `unsupported` for the predicate, and of any code
    ///   for the sort keys; `StorageError` if the store does not have the entity.
    package static func translate(_ request: RowRequest, layout: StoreLayout, identity: StoreIdentity) throws
        -> TranslatedRequest
    {
        let translator = PredicateTranslator(
            SelectStatement(try layout.storage(of: request.entityIndex)), layout: layout, identity: identity)
        return try translate(request, with: translator)
    }

    /// SQLite compares each constant of a statement with all others. With more of them in one
    /// condition, the test in memory takes less time.
    private static let mostArguments = 2_048

    /// Joins that the translator already has are included in this statement; joins that it adds
    /// afterwards are not.
    static func translate(_ request: RowRequest, with translator: PredicateTranslator) throws -> TranslatedRequest {
        let storage = translator.statement.storage
        var conditions: [SQLFragment] = []
        var answered: [FetchPredicate] = []
        var residual: [FetchPredicate] = []
        let key = translator.object.key
        switch request.selection {
        case .keys(let keys):
            conditions.append(keys.isEmpty ? .constant(false) : .sql("\(key) IN \(SQLValueList.fragment(keys: keys))"))
        case .matching(nil): break
        case .matching(let predicate?):
            for part in conjuncts(predicate) {
                do {
                    let condition = try translator.attempt {
                        let condition = try translator.condition(part)
                        guard condition.arguments.count <= mostArguments else {
                            throw translator.unsupported("\(condition.arguments.count) values in one condition")
                        }
                        return condition
                    }
                    if condition != .constant(true) { conditions.append(condition) }
                    answered.append(part)
                } catch let error as QueryError where error.code == .unsupported {
                    residual.append(part)
                }
            }
        }
        if case .matching(let predicate?) = request.selection {
            conditions += translator.places(meeting: conjuncts(predicate))
        }
        if !request.excludedKeys.isEmpty {
            conditions.append(.sql("\(key) NOT IN \(SQLValueList.fragment(keys: request.excludedKeys))"))
        }
        var order = try request.sortKeys.flatMap { key in
            key.ordersObjects
                ? translator.terms(ofObjects: request, isAscending: key.isAscending) : [try translator.term(key)]
        }
        let hasWindow = request.offset > 0 || request.limit != nil
        // Rows with equal sort keys must not change their order between two pages of results.
        if !order.isEmpty || hasWindow, !request.sortKeys.contains(where: \.ordersObjects) { order.append(key) }

        var statement = translator.statement
        statement.joins = translator.root.tables
        statement.conditions =
            try restriction(
                of: request, storage, translator,
                isNarrowed: !conditions.isEmpty || request.sortKeys.contains { !$0.ordersObjects }) + conditions
        // Both indexes that may be used, the rowid and the one on Z_ENT, have their rows in this
        // order.
        if let after = request.after { statement.conditions.append(.sql("\(key) > \(value: .integer(after))")) }
        statement.order = order
        if residual.isEmpty {
            statement.offset = request.offset
            statement.limit = request.limit
        }
        // With an offset or a limit, rows that are not objects would be counted too.
        if statement.offset > 0 || statement.limit != nil { statement = statement.overObjects }
        return TranslatedRequest(statement: statement, answered: all(answered), residual: all(residual))
    }

    private static func all(_ parts: [FetchPredicate]) -> FetchPredicate? {
        parts.isEmpty ? nil : (parts.count == 1 ? parts[0] : .and(parts))
    }

    /// The parts that must all be true.
    private static func conjuncts(_ predicate: FetchPredicate) -> [FetchPredicate] {
        switch predicate {
        case .and(let parts): parts.flatMap(conjuncts)
        case .not(.not(let inner)): conjuncts(inner)
        case .not(.or(let parts)): parts.flatMap { conjuncts(.not($0)) }
        default: [predicate]
        }
    }

    /// Excludes other entities of the same table.
    private static func restriction(
        of request: RowRequest, _ storage: EntityStorage, _ translator: PredicateTranslator, isNarrowed: Bool
    ) throws -> [SQLFragment] {
        guard storage.sharesTable else { return [] }
        if request.includesSubentities, storage.number == storage.rootNumber,
            try !translator.hasStrangers(request.entityIndex)
        {
            return []
        }
        let numbers = translator.layout.numbers(
            of: request.entityIndex, includingSubentities: request.includesSubentities)
        let column = SQLFragment.sql("\(name: SelectStatement.rootAlias).Z_ENT")
        let marks = numbers.map { SQLFragment.value(.integer($0)) }
        let condition =
            numbers.count == 1
            ? SQLFragment.sql("\(column) = \(marks[0])") : .sql("\(column) IN (\(marks.joined(", ")))")
        // `likely` tells SQLite that most rows pass, so it prefers an index for the rest of the
        // request over the index on Z_ENT.
        return [isNarrowed ? .sql("likely(\(condition))") : condition]
    }
}

extension PredicateTranslator {
    /// The order of the objects of a request: by entity name, then by primary key.
    func terms(ofObjects request: RowRequest, isAscending: Bool) -> [SQLFragment] {
        let number = isAscending ? object.key : .sql("\(object.key) DESC")
        guard statement.storage.sharesTable, let entity = entityOrder(request) else { return [number] }
        return [isAscending ? entity : .sql("\(entity) DESC"), number]
    }

    /// The expression that orders the entities of a request; nil if there is only one. If the
    /// entity numbers are already in the order of the names, an index can be used.
    private func entityOrder(_ request: RowRequest) -> SQLFragment? {
        let entity = layout.model.entities[request.entityIndex]
        let family = request.includesSubentities ? entity.family : entity.index..<(entity.index + 1)
        // An abstract entity has no objects.
        let numbers = layout.model.entities[family].filter { !$0.isAbstract }.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }.compactMap { layout[$0.index]?.number }
        guard numbers.count > 1 else { return nil }
        let column = SQLFragment.sql("\(name: SelectStatement.rootAlias).Z_ENT")
        if numbers == numbers.sorted() { return column }
        let places = numbers.enumerated().map {
            SQLFragment.sql("WHEN \(value: .integer($0.element)) THEN \(value: .integer(Int64($0.offset)))")
        }
        return .sql("CASE \(column) \(places.joined(" ")) END")
    }

    /// A sort key with its direction. NULL is SQLite's smallest value, just as nil is in memory.
    func term(_ key: SortKey) throws -> SQLFragment {
        if key.relevanceQuery != nil {
            let entity = layout.model.entities[object.entityIndex]
            let sql = try single(try key.expression(for: entity, in: layout.model)).sql
            return key.isAscending ? .sql("\(sql) ASC") : .sql("\(sql) DESC")
        }
        let components = key.keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard case .scalar(let scalar) = try path(base: nil, components: components), scalar.kind.hasOrder else {
            throw QueryError(
                .type, "Results can't be sorted by \(key.keyPath)",
                entity: layout.model.entities[object.entityIndex].name, key: key.keyPath)
        }
        let direction = key.isAscending ? SQLFragment.sql("ASC") : .sql("DESC")
        guard scalar.kind == .text, let name = key.collation.sqlName else { return .sql("\(scalar.sql) \(direction)") }
        return .sql("\(scalar.sql) COLLATE \(name: name) \(direction)")
    }
}

extension SortKey.Collation {
    static let registered: [SortKey.Collation] = [
        .caseInsensitive, .localized, .localizedCaseInsensitive, .localizedStandard,
    ]

    /// The registered collation; nil for SQLite's own order.
    var sqlName: String? {
        switch self {
        case .binary: nil
        case .caseInsensitive: "FolioCaseInsensitive"
        case .localized: "FolioLocalized"
        case .localizedCaseInsensitive: "FolioLocalizedCaseInsensitive"
        case .localizedStandard: "FolioLocalizedStandard"
        }
    }
}
