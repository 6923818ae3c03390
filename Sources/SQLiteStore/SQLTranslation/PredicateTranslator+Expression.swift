import Foundation
import Query
import Schema
import SQLiteKit

// Expressions other than paths and functions.
extension PredicateTranslator {
    func operand(_ expression: QueryExpression) throws -> SQLOperand {
        switch expression {
        case .constant(.list(let values)): return .constants(values)
        case .constant(let value): return .scalar(try constant(value))
        case .evaluatedObject: return .scalar(try scalar(.object(object)))
        case .variable(let name): return .scalar(try scalar(variable(name)))
        case .keyPath(let base, let components): return try path(base: base, components: components)
        case .aggregate(let elements): return .list(try elements.map { try single($0) })
        case .function(let name, let arguments): return .scalar(try function(name, arguments))
        case .subquery(let collection, let variable, let predicate):
            return .collection(try subquery(collection, variable, predicate))
        case .conditional(let predicate, let then, let otherwise):
            return .scalar(try conditional(predicate, then, otherwise))
        case .cast(let operand, let type): return .scalar(try cast(try single(operand), type))
        case .call(_, let selector, _): throw unsupported("FUNCTION(…, '\(selector)')")
        case .element(let base, let index): return .scalar(try element(index, of: operand(base)))
        }
    }

    /// An expression with a single value.
    func single(_ expression: QueryExpression) throws -> SQLScalar {
        if case .scalar(let scalar) = try operand(expression) { return scalar }
        throw unsupported("many values where one is needed, \(expression)")
    }

    /// - Throws: `QueryError.unsupported` for values that no column can have.
    func constant(_ value: PropertyValue) throws -> SQLScalar {
        if case .object(let id) = value {
            let root = id.entity.rootIndex
            // An object of another store, or an unsaved one, is not in this store.
            let isOurs = id.store == identity && id.key > 0
            return SQLScalar(sql: .value(isOurs ? .integer(id.key) : .null), kind: .object(root: root), constant: value)
        }
        guard let argument = SQLiteValue(constant: value), let kind = SQLKind(constant: value) else {
            throw unsupported("a \(ScalarRules.kind(of: value)) as a constant")
        }
        return SQLScalar(sql: kind == .null ? .sql("NULL") : .value(argument), kind: kind, constant: value)
    }

    private func subquery(_ collection: QueryExpression, _ variable: String, _ predicate: FetchPredicate) throws
        -> SQLCollection
    {
        guard case .collection(let result) = try operand(collection) else { throw unsupported("SUBQUERY of a list") }
        let outer = variables[variable]
        defer { variables[variable] = outer }
        variables[variable] = result.element
        result.scope.conditions.append(try condition(predicate))
        return result
    }

    private func conditional(_ predicate: FetchPredicate, _ then: QueryExpression, _ otherwise: QueryExpression) throws
        -> SQLScalar
    {
        var branches = [try single(then), try single(otherwise)]
        guard branches[0].kind.isComparable(with: branches[1].kind) else {
            throw unsupported("branches of different kinds in TERNARY")
        }
        if branches[0].kind != branches[1].kind, !branches.contains(where: \.isNull) {
            let kind: SQLKind = branches[0].kind.isText ? .text : .number
            branches = branches.map { SQLScalar(sql: $0.number, kind: kind) }
        }
        let kind = branches[0].isNull ? branches[1].kind : branches[0].kind
        let sql = SQLFragment.sql(
            "CASE WHEN \(try condition(predicate)) THEN \(branches[0].sql) ELSE \(branches[1].sql) END")
        var result = SQLScalar(sql: sql, kind: kind)
        if let object = branches[0].object ?? branches[1].object {
            // For two entities of a hierarchy, only their common properties would be available.
            let entities = Set(branches.compactMap(\.object?.entityIndex))
            if entities.count == 1 {
                result.object = SQLObject(entityIndex: object.entityIndex, key: sql, alias: nil, scope: object.scope)
            }
        }
        return result
    }
}
