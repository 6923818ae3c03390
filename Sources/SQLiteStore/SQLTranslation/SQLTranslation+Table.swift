import Foundation
package import Query
package import Schema
import SQLiteKit
package import Storage

extension SQLTranslation {
    /// The statement that returns a table's rows, and the readers that convert its cells to values.
    /// - Throws: `QueryError` with code `unsupported` if SQL can't express the whole request.
    package static func translate(
        _ table: TableRequest, of request: RowRequest, layout: StoreLayout, identity: StoreIdentity
    ) throws -> TranslatedTable {
        try translate(
            table, of: request,
            with: PredicateTranslator(
                SelectStatement(try layout.storage(of: request.entityIndex)), layout: layout, identity: identity))
    }

    static func translate(_ table: TableRequest, of request: RowRequest, with translator: PredicateTranslator) throws
        -> TranslatedTable
    {
        var cells: [SQLFragment] = []
        var places: [Int] = []
        var readers: [TableCellReader] = []
        for column in table.columns {
            let (own, reader) = try translator.cells(of: column)
            places.append(cells.count)
            cells += own
            readers.append(reader)
        }
        let groups = try table.groups.map { try translator.single($0).sql }
        let having = try table.having.map { try translator.condition($0) }
        var order = try table.order.flatMap { term in
            term.ordersObjects
                ? translator.terms(ofObjects: request, isAscending: term.isAscending)
                : [try translator.term(term, place: term.column.map { places[$0] })]
        }
        let selected = try translate(request, with: translator)
        if let residual = selected.residual { throw translator.unsupported("\(residual)") }

        var statement = selected.statement.overObjects
        statement.groups = groups
        statement.having = having
        statement.isDistinct = table.isDistinct
        if table.isOrdered, !table.ordersObjects { order += tieBreakers(table, places, translator) }
        statement.order = order
        statement.offset = table.offset
        statement.limit = table.limit
        return TranslatedTable(
            statement: statement.selecting(cells.joined(", ")), columns: table.columns, readers: readers)
    }

    /// The final order terms for rows that are otherwise equal: their columns, or their objects.
    private static func tieBreakers(_ table: TableRequest, _ places: [Int], _ translator: PredicateTranslator)
        -> [SQLFragment]
    {
        guard table.isAggregated || table.isDistinct else { return [translator.object.key] }
        return zip(table.columns, places).filter { $0.0.isComparable }.map { SQLFragment(String($0.1 + 1)) }
    }
}

/// The statement of a table request.
package struct TranslatedTable: Sendable {
    package let statement: SQLFragment
    let columns: [TableColumn]
    let readers: [TableCellReader]
}

/// Describes how the next cells of a row become the value of one column.
enum TableCellReader: Sendable {
    case attribute(AttributeColumn)
    case composite([CompositeLeaf])
    /// A key, followed by the `Z_ENT` if several entities are possible.
    case object(entityIndex: Int, hasEntity: Bool)
    /// The result of an expression, by its static type.
    case computed(StaticType)
}

extension PredicateTranslator {
    fileprivate func cells(of column: TableColumn) throws -> ([SQLFragment], TableCellReader) {
        if column.isStored, column.expression.rowAggregate == nil {
            var components: [String] = []
            if case .keyPath(nil, let path) = column.expression { components = path }
            switch try element(at: components) {
            case .scalar(let scalar):
                if let attribute = scalar.attribute { return ([scalar.sql], .attribute(attribute)) }
            case .composite(let leaves, let alias, _):
                return (leaves.map { .sql("\(name: alias).\(name: $0.column.name)") }, .composite(leaves))
            case .object(let object): return try cells(of: object)
            }
        }
        let scalar = try single(column.expression)
        if let object = scalar.object { return try cells(of: object) }
        if case .object = scalar.constant { throw unsupported("an object as a constant column") }
        if column.isStored, let attribute = scalar.attribute { return ([scalar.sql], .attribute(attribute)) }
        return ([scalar.sql], .computed(column.type))
    }

    /// The key of an object, and its `Z_ENT` if its table has several entities.
    private func cells(of object: SQLObject) throws -> ([SQLFragment], TableCellReader) {
        let storage = try layout.storage(of: object.entityIndex)
        guard storage.sharesTable else {
            return ([object.key], .object(entityIndex: object.entityIndex, hasEntity: false))
        }
        let entity: SQLFragment
        if let alias = object.alias {
            entity = .sql("\(name: alias).Z_ENT")
        } else {
            let alias = makeAlias()
            entity = .sql(
                "(SELECT \(name: alias).Z_ENT FROM \(name: storage.table) \(name: alias) WHERE \(name: alias).Z_PK = \(object.key))"
            )
        }
        return ([object.key, entity], .object(entityIndex: object.entityIndex, hasEntity: true))
    }

    /// An ORDER BY term of a table: a column by its number, so that it is not computed again.
    fileprivate func term(_ term: TableRequest.Term, place: Int?) throws -> SQLFragment {
        let scalar = try single(term.expression)
        guard scalar.kind.hasOrder else { throw typeError("Rows can't be sorted by \(term.expression)") }
        let sql = place.map { SQLFragment(String($0 + 1)) } ?? scalar.sql
        let direction = term.isAscending ? SQLFragment.sql("ASC") : .sql("DESC")
        guard scalar.kind == .text, let name = term.collation.sqlName else { return .sql("\(sql) \(direction)") }
        return .sql("\(sql) COLLATE \(name: name) \(direction)")
    }
}
