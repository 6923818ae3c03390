import Foundation
import Query
import Schema
import SQLiteKit

// Functions, casts and aggregates. SQLite's own functions are used if they match the rules for
// values (`ScalarRules`), else custom functions that apply these rules.
extension PredicateTranslator {
    func function(_ name: String, _ arguments: [QueryExpression]) throws -> SQLScalar {
        guard let function = QueryFunction(rawValue: name) else { throw unsupported("the function \(name)") }
        if function.isAggregate { return try aggregate(function, of: arguments) }
        if function == .now { return try constant(.date(now)) }
        let operands = try arguments.map { try single($0) }
        guard operands.count == function.argumentCount else { throw unsupported("\(name) of \(operands.count) values") }
        if function == .relevance { return SQLScalar(sql: call(function, operands), kind: .number) }
        if function == .indexed { return operands[0] }
        if operands.contains(where: \.isNull) { return try constant(.null) }
        if operands.contains(where: { $0.kind == .opaque }) { throw unsupported("\(name) of a large value") }
        switch function {
        case .noIndex:
            // SQLite does not use an index for a column with a unary plus.
            var result = operands[0]
            result.sql = .sql("+\(result.sql)")
            result.isColumn = false
            return result
        case .lowercase, .uppercase, .canonical:
            return SQLScalar(sql: call(function, operands), kind: .text)
        case .length:
            return SQLScalar(
                sql: operands[0].kind == .bytes ? .sql("length(\(operands[0].sql))") : call(function, operands),
                kind: .number)
        case .local:
            for (operand, kind) in zip(operands, [SQLKind.date, .text]) where operand.kind != kind {
                throw typeError("\(function.rawValue) takes a \(kind.name), not a \(operand.kind.name)")
            }
            return SQLScalar(sql: call(function, operands), kind: .date)
        case _ where function.isDatePart:
            guard operands[0].kind == .date else {
                throw typeError("\(function.rawValue) takes a date, not a \(operands[0].kind.name)")
            }
            return SQLScalar(sql: call(function, operands), kind: .number)
        default: break
        }
        return try arithmetic(function, operands)
    }

    private func arithmetic(_ function: QueryFunction, _ operands: [SQLScalar]) throws -> SQLScalar {
        let kinds = operands.map(\.kind)
        let dates = kinds.filter { $0 == .date }.count
        for kind in kinds where ![.number, .decimal, .date].contains(kind) {
            throw typeError("\(function.rawValue) takes numbers, not a \(kind.name)")
        }
        let takesDates = function == .add ? dates < 2 : function == .subtract && kinds[0] == .date
        if dates > 0, !takesDates { throw typeError("\(function.rawValue) takes numbers, not a date") }
        // A date plus a number is a date; the difference of two dates is in seconds.
        let kind: SQLKind = dates == 1 ? .date : .number
        let (a, b) = (operands[0].number, operands.last?.number ?? operands[0].number)
        let sql: SQLFragment
        switch function {
        case .add: sql = .sql("(\(a) + \(b))")
        case .subtract: sql = .sql("(\(a) - \(b))")
        case .multiply: sql = .sql("(\(a) * \(b))")
        case .divide: sql = .sql("(\(a) / \(b))")
        case .modulus: sql = .sql("(CAST(\(a) AS INTEGER) % CAST(\(b) AS INTEGER))")
        case .bitAnd: sql = .sql("(\(a) & \(b))")
        case .bitOr: sql = .sql("(\(a) | \(b))")
        case .shiftLeft: sql = .sql("(\(a) << \(b))")
        case .shiftRight: sql = .sql("(\(a) >> \(b))")
        case .complement: sql = .sql("~\(a)")
        default: sql = call(function, operands)
        }
        return SQLScalar(sql: sql, kind: kind)
    }

    private func call(_ function: QueryFunction, _ operands: [SQLScalar]) -> SQLFragment {
        let name = SQLFragment.value(.text(function.rawValue))
        return .sql("FolioFunction(\(([name] + operands.map(\.number)).joined(", ")))")
    }

    // MARK: Casts

    func cast(_ operand: SQLScalar, _ typeName: String) throws -> SQLScalar {
        guard let type = CastType(name: typeName) else { throw unsupported("CAST to \(typeName)") }
        if operand.isNull { return operand }
        func converted(_ kind: SQLKind) -> SQLScalar {
            SQLScalar(sql: .sql("FolioCast(\(operand.number), \(value: .text(type.rawValue)))"), kind: kind)
        }
        switch (type, operand.kind) {
        case (.date, .date), (.string, .text), (.uri, .uri), (.uuid, .uuid), (.data, .bytes), (.number, .number):
            return operand
        case (.string, .uri): return SQLScalar(sql: operand.sql, kind: .text, isColumn: operand.isColumn)
        case (.date, .number), (.date, .decimal):
            return SQLScalar(sql: .sql("CAST(\(operand.sql) AS REAL)"), kind: .date)
        case (.number, .decimal), (.number, .date): return SQLScalar(sql: operand.number, kind: .number)
        // A Decimal is treated as the nearest Double.
        case (.decimal, .decimal): return SQLScalar(sql: .sql("CAST(\(operand.sql) AS REAL)"), kind: .number)
        // A number too large for a Decimal is nil.
        case (.decimal, .number), (.decimal, .text):
            return SQLScalar(sql: .sql("CAST(\(converted(.number).sql) AS REAL)"), kind: .number)
        case (.date, .text): return converted(.date)
        case (.number, .text): return converted(.number)
        case (.string, .number), (.string, .uuid): return converted(.text)
        case (.uri, .text): return converted(.uri)
        case (.uuid, .text): return converted(.uuid)
        case (.data, .text): return converted(.bytes)
        case (.object, .object): return operand
        // The text of a Decimal would include digits that the column does not store.
        case (.string, .decimal), (_, .opaque): throw unsupported("CAST of a \(operand.kind.name) to \(typeName)")
        // An impossible cast is nil.
        default: return try constant(.null)
        }
    }

    // MARK: Aggregates

    /// An aggregate of a list of expressions, or of a collection.
    private func aggregate(_ function: QueryFunction, of arguments: [QueryExpression]) throws -> SQLScalar {
        guard arguments.count == 1 else { throw unsupported("\(function.rawValue) of \(arguments.count) values") }
        let elements: [SQLScalar]
        switch try operand(arguments[0]) {
        case .collection(let collection): return try aggregate(function, collection)
        case .list(let list): elements = list
        case .constants(let values): elements = try values.map(constant)
        case .scalar(let scalar): return try rowAggregate(function, scalar)
        }
        let kinds = Set(elements.map(\.kind)).subtracting([.null])
        let name = SQLFragment.value(.text(function.rawValue))
        guard function == .count || kinds.count < 2 || kinds == [.number, .decimal] || kinds == [.text, .uri] else {
            throw unsupported("\(function.rawValue) of values of different kinds")
        }
        guard function == .count || kinds.first?.hasOrder != false else {
            throw typeError("\(function.rawValue) takes values with an order")
        }
        let sql = SQLFragment.sql("FolioList(\(([name] + elements.map(\.number)).joined(", ")))")
        guard function == .min || function == .max else { return SQLScalar(sql: sql, kind: .number) }
        // FolioList returns a Double for a Decimal.
        let kind: SQLKind =
            kinds.contains(.decimal) || kinds.isEmpty
            ? .number : (kinds.contains(.text) ? .text : kinds.first ?? .number)
        return SQLScalar(sql: sql, kind: kind)
    }

    /// An aggregate over the objects of a group. Sums of short integers can't overflow 64 bits, and
    /// SQLite's own functions are faster.
    private func rowAggregate(_ function: QueryFunction, _ scalar: SQLScalar) throws -> SQLScalar {
        switch function {
        case .count:
            return SQLScalar(
                sql: scalar.object?.alias == SelectStatement.rootAlias
                    ? .sql("COUNT(*)") : .sql("COUNT(\(scalar.sql))"), kind: .number)
        case .min, .max:
            let extreme = function == .min ? SQLFragment.sql("MIN(\(scalar.sql))") : .sql("MAX(\(scalar.sql))")
            return SQLScalar(sql: extreme, kind: scalar.kind, attribute: scalar.attribute)
        default:
            guard [.number, .decimal, .null].contains(scalar.kind) else {
                throw typeError("\(function.rawValue) takes numbers, not a \(scalar.kind.name)")
            }
            let isShort = scalar.isColumn && [.integer16, .integer32, .boolean].contains(scalar.attribute?.type)
            let sum: SQLFragment
            switch (function, isShort) {
            case (.sum, true): sum = .sql("IFNULL(SUM(\(scalar.sql)), 0)")
            case (.sum, false): sum = .sql("FolioSum(\(scalar.number))")
            case (_, true): sum = .sql("CAST(SUM(\(scalar.sql)) AS REAL) / COUNT(\(scalar.sql))")
            case (_, false): sum = .sql("FolioAverage(\(scalar.number))")
            }
            return SQLScalar(sql: .sql("(\(sum))"), kind: .number)
        }
    }

    func aggregate(_ function: QueryFunction, _ collection: SQLCollection) throws -> SQLScalar {
        let element = try scalar(collection.element)
        switch function {
        case .count:
            // A row of the subquery's own table is never nil.
            let isRow = element.object?.alias != nil
            let count = isRow ? SQLFragment.sql("COUNT(*)") : .sql("COUNT(\(element.sql))")
            var result = SQLScalar(sql: .sql("(\(select(count, from: collection.scope)))"), kind: .number)
            result.counted = (collection, isRow ? nil : element.sql)
            return result
        case .min, .max:
            guard element.kind.hasOrder else {
                throw typeError("\(function.rawValue) takes values with an order, not a \(element.kind.name)")
            }
            let extreme = function == .min ? SQLFragment.sql("MIN(\(element.sql))") : .sql("MAX(\(element.sql))")
            return SQLScalar(sql: .sql("(\(select(extreme, from: collection.scope)))"), kind: element.kind)
        default:
            guard element.kind == .number || element.kind == .decimal else {
                throw typeError("\(function.rawValue) takes numbers, not a \(element.kind.name)")
            }
            let column = element.number
            let sum = function == .sum ? SQLFragment.sql("FolioSum(\(column))") : .sql("FolioAverage(\(column))")
            return SQLScalar(sql: .sql("(\(select(sum, from: collection.scope)))"), kind: .number)
        }
    }
}
