import Foundation
import Query
import Schema
import SQLiteKit
import Storage

/// Attributes: values that the new type can't represent, and values that break the new rules.
extension RowCheck {
    /// A condition for rows that break a rule.
    struct Condition {
        let sql: String
        var arguments: [SQLiteValue] = []
        /// The property and the rule, such as `Member.age is less than 18`.
        let text: String
        /// The column whose value is named; nil names none.
        var column: String?
    }

    func valueViolations(_ entity: EntityDescription, _ storage: EntityStorage) throws -> [Violation] {
        var conditions: [Condition] = []
        for property in entity.properties where property.attribute != nil && !property.isTransient {
            conditions += unfitConditions(property, entity, storage)
            if checksRules { conditions += ruleConditions(property, entity) }
        }
        // A query has at most 2,000 columns and as many arguments as SQLite was built for.
        return try stride(from: 0, to: conditions.count, by: 200).flatMap { start in
            try violations(Array(conditions[start..<min(start + 200, conditions.count)]), entity, storage)
        }
    }

    /// Evaluates all conditions in one pass.
    private func violations(_ conditions: [Condition], _ entity: EntityDescription, _ storage: EntityStorage) throws
        -> [Violation]
    {
        let table = SQLName.quoted(storage.table)
        let cells = conditions.enumerated().map { "CASE WHEN \($0.element.sql) THEN Z_PK END AS c\($0.offset)" }
        let results = conditions.indices.map { "count(c\($0)), min(c\($0))" }
        let found = try connection.rows(
            "SELECT \(results.joined(separator: ", ")) FROM (SELECT \(cells.joined(separator: ", ")) FROM \(table) WHERE \(rows(of: storage)))",
            conditions.flatMap(\.arguments))
        guard let row = found.first else { return [] }
        return try conditions.enumerated().compactMap { index, condition in
            guard let count = row[2 * index].integer, count > 0, let key = row[2 * index + 1].integer else {
                return nil
            }
            guard let column = condition.column else {
                return Violation(
                    entity: entity.name, message: condition.text + example(count, key, in: storage.table))
            }
            let value = try connection.value(
                "SELECT \(SQLName.quoted(column)) FROM \(table) WHERE Z_PK = ?", [.integer(key)])
            return Violation(
                entity: entity.name,
                message:
                    "\(condition.text), but \(Self.objects(count)) a value that does not fit, such as \(name(key, in: storage.table)) with \(Self.text(value ?? .null))"
            )
        }
    }

    private static func text(_ value: SQLiteValue) -> String {
        value.integer.map(String.init) ?? value.real.map { "\($0)" } ?? "another type"
    }

    // MARK: Types

    /// Each number must be one that the attribute's new type can represent.
    private func unfitConditions(
        _ property: PropertyDescription, _ entity: EntityDescription, _ storage: EntityStorage
    ) -> [Condition] {
        guard let attribute = property.attribute,
            let (old, kind) = builder.formerStorage(entityIndex: entity.index, propertyIndex: property.index)
        else { return [] }
        func condition(_ type: AttributeType, _ former: AttributeType, _ column: String, _ name: String) -> Condition? {
            unfit(type, formerly: former, column).map {
                Condition(sql: $0, text: "\(entity.name).\(name) becomes \(type.name)", column: column)
            }
        }
        switch kind {
        case .attribute(let column):
            return [condition(attribute.type, old.attribute?.type ?? column.type, column.name, property.name)]
                .compactMap { $0 }
        case .composite(let leaves):
            return leaves.compactMap { leaf in
                part(of: attribute, at: leaf.path, in: plan.destination).flatMap {
                    condition(
                        $0.type, leaf.column.type, leaf.column.name,
                        ([property.name] + leaf.path).joined(separator: "."))
                }
            }
        case .none, .toOne, .toMany, .manyToMany: return []
        }
    }

    /// The condition for cells that the new type can't represent; nil if it can represent all.
    private func unfit(_ type: AttributeType, formerly old: AttributeType, _ column: String) -> String? {
        let cell = SQLName.quoted(column)
        if NumberConversion.isNeeded(from: old, to: type) {
            return "\(cell) IS NOT NULL AND \(NumberConversion.expression(column, type)) IS NULL"
        }
        guard let range = type.storedRange, let former = old.storedRange,
            !(range.lowerBound <= former.lowerBound && range.upperBound >= former.upperBound)
        else { return nil }
        return "\(cell) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    }

    private func part(of attribute: AttributeDescription, at path: [String], in model: ManagedObjectModel)
        -> AttributeDescription?
    {
        path.reduce(attribute) { part, name in
            part.flatMap { model.composite(of: $0) }?.attributes.first { $0.name == name }
        }
    }

    // MARK: Rules

    private func ruleConditions(_ property: PropertyDescription, _ entity: EntityDescription) -> [Condition] {
        guard let attribute = property.attribute, !attribute.isDerived else { return [] }
        let old = former.property(property, of: entity)?.attribute
        let name = "\(entity.name).\(property.name)"
        switch builder.new[entity.index]?.properties[property.index] {
        case .attribute(let column):
            let cell = builder.attributeCell(property, column, entity.index)
            return (old?.isOptional == false ? [] : missing(attribute, cell, entity, property, name))
                + rules(attribute, formerly: old, cell.expression, name)
        case .composite(let leaves):
            return compositeConditions(attribute, leaves, formerly: old, property, entity)
        default: return []
        }
    }

    private func missing(
        _ attribute: AttributeDescription, _ cell: CellOrigin, _ entity: EntityDescription,
        _ property: PropertyDescription, _ name: String
    ) -> [Condition] {
        guard !attribute.isOptional else { return [] }
        let text = "\(name) is required"
        switch cell {
        case .columnOr, .literal: return []
        case .null: return [Condition(sql: "true", text: text)]
        case .column, .computed:
            // The column itself, because the expression may read large values.
            if attribute.defaultValue == nil,
                case .attribute(let column)? = builder.formerStorage(
                    entityIndex: entity.index, propertyIndex: property.index)?.storage
            {
                return [Condition(sql: "\(SQLName.quoted(column.name)) IS NULL", text: text)]
            }
            return [Condition(sql: "(\(cell.expression)) IS NULL", text: text)]
        }
    }

    /// Mandatory composites must have a part, and mandatory parts a value in objects that have the
    /// composite.
    private func compositeConditions(
        _ attribute: AttributeDescription, _ leaves: [CompositeLeaf], formerly old: AttributeDescription?,
        _ property: PropertyDescription, _ entity: EntityDescription
    ) -> [Condition] {
        let name = "\(entity.name).\(property.name)"
        let cells = leaves.map { builder.leafCell(property, $0, entity.index).expression }
        let isNil = cells.map { "(\($0)) IS NULL" }.joined(separator: " AND ")
        var conditions: [Condition] = []
        if !attribute.isOptional, old?.isOptional != false, !cells.isEmpty {
            conditions.append(Condition(sql: isNil, text: "\(name) is required"))
        }
        for (leaf, cell) in zip(leaves, cells) {
            guard let part = part(of: attribute, at: leaf.path, in: plan.destination) else { continue }
            let former = old.flatMap { old in
                self.part(of: old, at: leaf.path, in: self.former.model)
            }
            let key = ([name] + leaf.path).joined(separator: ".")
            if !part.isOptional, former?.isOptional != false {
                conditions.append(
                    Condition(sql: "(\(cell)) IS NULL AND NOT (\(isNil))", text: "\(key) is required"))
            }
            conditions += rules(part, formerly: former, cell, key)
        }
        return conditions
    }

    /// The rules that are stricter than before.
    private func rules(
        _ attribute: AttributeDescription, formerly old: AttributeDescription?, _ cell: String, _ name: String
    ) -> [Condition] {
        let former = old.map { ValueDemand.demands(onValuesOf: $0) } ?? []
        func condition(_ comparison: String, _ bound: Double, _ violation: ValueDemand.Violation?) -> Condition? {
            violation.map {
                Condition(sql: "(\(cell)) \(comparison) ?", arguments: [.real(bound)], text: "\(name) \($0.why)")
            }
        }
        return ValueDemand.demands(onValuesOf: attribute).flatMap { demand -> [Condition] in
            switch demand {
            case .value: return []
            case .number(let least, let greatest), .date(let least, let greatest):
                let (before, after) = former.compactMap(\.bounds).first ?? (nil, nil)
                var conditions: [Condition?] = []
                // Without a bound of its own, a number is checked by its type.
                if let least, attribute.minimumValue != nil, before.map({ least > $0 }) ?? true {
                    conditions.append(condition("<", least, demand.violation(of: least.nextDown)))
                }
                if let greatest, attribute.maximumValue != nil, after.map({ greatest < $0 }) ?? true {
                    conditions.append(condition(">", greatest, demand.violation(of: greatest.nextUp)))
                }
                return conditions.compactMap { $0 }
            case .decimal(let least, let greatest):
                let (before, after) = former.compactMap(\.bounds).first ?? (nil, nil)
                var conditions: [Condition?] = []
                if let least, before.map({ least.double > $0 }) ?? true {
                    conditions.append(condition("<", least.double, demand.violation(of: least - 1)))
                }
                if let greatest, after.map({ greatest.double < $0 }) ?? true {
                    conditions.append(condition(">", greatest.double, demand.violation(of: greatest + 1)))
                }
                return conditions.compactMap { $0 }
            case .string(let shortest, let longest, let pattern):
                var (low, high, form): (Int?, Int?, String?) = (nil, nil, nil)
                if case .string(let least, let most, let pattern)? = former.first {
                    (low, high, form) = (least, most, pattern)
                }
                let demands: [(ValueDemand, String)] =
                    (shortest.map { $0 > (low ?? -1) } == true
                        ? [
                            (
                                .string(shortest: shortest, longest: nil, pattern: nil),
                                "is shorter than \(shortest ?? 0)"
                            )
                        ]
                        : [])
                    + (longest.map { $0 < (high ?? .max) } == true
                        ? [(.string(shortest: nil, longest: longest, pattern: nil), "is longer than \(longest ?? 0)")]
                        : [])
                    + (pattern != nil && pattern != form
                        ? [(.string(shortest: nil, longest: nil, pattern: pattern), "does not match \(pattern ?? "")")]
                        : [])
                return demands.map { demand, why in
                    guard case .string(let shortest, let longest, let pattern) = demand else {
                        preconditionFailure("They are texts")
                    }
                    return Condition(
                        sql: "\(TextRule.function)(\(cell), ?, ?, ?)",
                        arguments: [
                            shortest.map { .integer(Int64($0)) } ?? .null, longest.map { .integer(Int64($0)) } ?? .null,
                            pattern.map { .text($0) } ?? .null,
                        ], text: "\(name) \(why)")
                }
            }
        }
    }
}

extension ValueDemand {
    fileprivate var bounds: (Double?, Double?)? {
        switch self {
        case .number(let least, let greatest), .date(let least, let greatest): (least, greatest)
        case .decimal(let least, let greatest): (least?.double, greatest?.double)
        case .value, .string: nil
        }
    }
}

extension Decimal {
    fileprivate var double: Double { (self as NSDecimalNumber).doubleValue }
}
