import Foundation
import Query
package import Schema
import SQLiteKit
package import Storage

/// Turns requests into SQL.
package enum SQLTranslation {
    /// The statement that a request is, without its columns. What `AND` joins at the top of the
    /// predicate is taken part by part: parts that SQL can't say are left over as the residual.
    /// - Throws: `QueryError` of any code but `unsupported` from the predicate, and of any code
    ///   from the sort keys; `StorageError` where the store does not hold the entity.
    package static func translate(_ request: RowRequest, layout: StoreLayout, identity: StoreIdentity) throws
        -> TranslatedRequest
    {
        let translator = PredicateTranslator(
            SelectStatement(try layout.storage(of: request.entityIndex)), layout: layout, identity: identity)
        return try translate(request, with: translator)
    }

    /// What the translator has joined for other parts of the statement is kept; what it joins
    /// afterwards is not in this statement.
    static func translate(_ request: RowRequest, with translator: PredicateTranslator) throws -> TranslatedRequest {
        let (layout, storage) = (translator.layout, translator.statement.storage)
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
                    let condition = try translator.attempt { try translator.condition(part) }
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
        // Rows that no key tells apart must not change their places between two windows.
        if !order.isEmpty || hasWindow, !request.sortKeys.contains(where: \.ordersObjects) { order.append(key) }

        var statement = translator.statement
        statement.joins = translator.root.tables
        statement.conditions =
            restriction(
                of: request, storage, layout,
                isNarrowed: !conditions.isEmpty || request.sortKeys.contains { !$0.ordersObjects }) + conditions
        // Either index that may serve, the table's own or the one on Z_ENT, has its rows in this
        // order.
        if let after = request.after { statement.conditions.append(.sql("\(key) > \(value: .integer(after))")) }
        statement.order = order
        if residual.isEmpty {
            statement.offset = request.offset
            statement.limit = request.limit
        }
        // Where rows are counted off, those of no objects would take a place.
        if statement.offset > 0 || statement.limit != nil { statement = statement.overObjects }
        return TranslatedRequest(statement: statement, answered: all(answered), residual: all(residual))
    }

    private static func all(_ parts: [FetchPredicate]) -> FetchPredicate? {
        parts.isEmpty ? nil : (parts.count == 1 ? parts[0] : .and(parts))
    }

    /// The parts that all have to hold.
    private static func conjuncts(_ predicate: FetchPredicate) -> [FetchPredicate] {
        switch predicate {
        case .and(let parts): parts.flatMap(conjuncts)
        case .not(.not(let inner)): conjuncts(inner)
        case .not(.or(let parts)): parts.flatMap { conjuncts(.not($0)) }
        default: [predicate]
        }
    }

    /// Leaves out other entities of the same table.
    private static func restriction(
        of request: RowRequest, _ storage: EntityStorage, _ layout: StoreLayout, isNarrowed: Bool
    ) -> [SQLFragment] {
        guard storage.sharesTable, !(request.includesSubentities && storage.number == storage.rootNumber) else {
            return []
        }
        let numbers = layout.numbers(of: request.entityIndex, includingSubentities: request.includesSubentities)
        let column = SQLFragment.sql("\(name: SelectStatement.rootAlias).Z_ENT")
        let marks = numbers.map { SQLFragment.value(.integer($0)) }
        let condition =
            numbers.count == 1
            ? SQLFragment.sql("\(column) = \(marks[0])") : .sql("\(column) IN (\(marks.joined(", ")))")
        // Told that most rows pass, SQLite leaves the index on Z_ENT alone and looks for one that
        // serves the rest of the request.
        return [isNarrowed ? .sql("likely(\(condition))") : condition]
    }
}

extension PredicateTranslator {
    /// The order of the objects of a request: by the names of their entities, then by number.
    func terms(ofObjects request: RowRequest, isAscending: Bool) -> [SQLFragment] {
        let number = isAscending ? object.key : .sql("\(object.key) DESC")
        guard statement.storage.sharesTable, let entity = entityOrder(request) else { return [number] }
        return [isAscending ? entity : .sql("\(entity) DESC"), number]
    }

    /// What the entities of a request are ordered by; nil where there is one. Where their own
    /// numbers are in the order of the names, an index serves.
    private func entityOrder(_ request: RowRequest) -> SQLFragment? {
        let entity = layout.model.entities[request.entityIndex]
        let family = request.includesSubentities ? entity.family : entity.index..<(entity.index + 1)
        // Of abstract ones there are no objects.
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

    /// A sort key with its direction. NULL is SQLite's smallest value, as nil is ours.
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

    /// The collation that connections have registered, nil for SQLite's own order.
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
