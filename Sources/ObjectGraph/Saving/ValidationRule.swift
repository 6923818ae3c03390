import Foundation
import Query
import RowMemory
import Schema
import Synchronization

/// A validation rule of the model for one property, or for a part of a composite.
///
/// The parts of a composite are validated only if the composite is not nil; otherwise only the
/// rules of the composite apply.
final class ValidationRule: Sendable {
    enum Demand: Sendable {
        case value
        case number(least: Double?, greatest: Double?)
        case decimal(least: Decimal?, greatest: Decimal?)
        case date(earliest: Double?, latest: Double?)
        /// Lengths are in UTF-16 code units. The pattern must match the whole string.
        case string(shortest: Int?, longest: Int?, pattern: String?)
        case objects(fewest: Int, most: Int, isOptional: Bool)
    }

    let property: PropertyDescription
    let slot: RowSlot
    /// The path to a part of a composite; empty for the property itself.
    let path: [String]
    let demand: Demand
    /// Whether the rule only requires that there is a value.
    let demandsValue: Bool
    /// The compiled pattern, after its first use.
    private let compiledPattern = Mutex<RegexPattern?>(nil)

    private init(property: PropertyDescription, slot: RowSlot, path: [String], demand: Demand) {
        self.property = property
        self.slot = slot
        self.path = path
        self.demand = demand
        if case .value = demand { demandsValue = true } else { demandsValue = false }
    }

    /// The key in messages and failures, such as `position.latitude`.
    var key: String { path.isEmpty ? property.name : ([property.name] + path).joined(separator: ".") }

    /// Whether any value of the property satisfies the rule.
    var isMetByAnyValue: Bool { demandsValue && path.isEmpty }

    @inline(__always) func isMetByAnyValue(in row: Row) -> Bool { isMetByAnyValue && row.hasValue(slot) }

    /// The rules of an entity, in the order of its properties. Properties without restrictions have
    /// none.
    static func rules(for entity: EntityDescription, layout: RowLayout, model: ManagedObjectModel) -> [ValidationRule] {
        entity.properties.flatMap { property -> [ValidationRule] in
            let demands: [(path: [String], demand: Demand)] =
                switch property.kind {
                case .attribute(let attribute): demands(of: attribute, [], model)
                case .relationship(let relationship): demands(of: relationship).map { ([], $0) }
                }
            return demands.map {
                ValidationRule(property: property, slot: layout.slots[property.index], path: $0.path, demand: $0.demand)
            }
        }
    }

    /// The demands of an attribute and, for a composite, of its parts, with their paths.
    private static func demands(of attribute: AttributeDescription, _ path: [String], _ model: ManagedObjectModel) -> [(
        path: [String], demand: Demand
    )] {
        let parts = model.composite(of: attribute)?.attributes ?? []
        return demands(of: attribute).map { (path, $0) } + parts.flatMap { demands(of: $0, path + [$0.name], model) }
    }

    private static func demands(of relationship: RelationshipDescription) -> [Demand] {
        if !relationship.isToMany { return relationship.isOptional ? [] : [.value] }
        // Of a mandatory to-many relationship, only the count is validated: compiled models have a
        // minimum of 0 if the source has none, and applications leave such relationships empty.
        guard relationship.minCount > 0 || relationship.maxCount > 0 else { return [] }
        return [
            .objects(
                fewest: relationship.minCount, most: relationship.maxCount > 0 ? relationship.maxCount : .max,
                isOptional: relationship.isOptional)
        ]
    }

    private static func demands(of attribute: AttributeDescription) -> [Demand] {
        // An object that was read has no transient value of a type that has nothing empty.
        let isDemanded = !attribute.isOptional && !(attribute.isTransient && attribute.type.emptyValue == nil)
        var demands: [Demand] = isDemanded ? [.value] : []
        let least = attribute.minimumValue, greatest = attribute.maximumValue
        switch attribute.type {
        case .integer16:
            demands.append(
                .number(least: max(least?.number ?? -32768, -32768), greatest: min(greatest?.number ?? 32767, 32767)))
        case .integer32:
            demands.append(
                .number(
                    least: max(least?.number ?? Double(Int32.min), Double(Int32.min)),
                    greatest: min(greatest?.number ?? Double(Int32.max), Double(Int32.max))))
        case .integer64, .double, .float:
            if least != nil || greatest != nil {
                demands.append(.number(least: least?.number, greatest: greatest?.number))
            }
        case .decimal:
            if least != nil || greatest != nil {
                demands.append(.decimal(least: least?.decimalNumber, greatest: greatest?.decimalNumber))
            }
        case .date:
            if least != nil || greatest != nil {
                demands.append(.date(earliest: least?.number, latest: greatest?.number))
            }
        case .string:
            let pattern = attribute.regularExpression.flatMap { $0.isEmpty ? nil : $0 }
            let shortest = least?.number.flatMap(length), longest = greatest?.number.flatMap(length)
            if shortest != nil || longest != nil || pattern != nil {
                demands.append(.string(shortest: shortest, longest: longest, pattern: pattern))
            }
        default: break
        }
        return demands
    }

    /// A limit for lengths; nil if the value is not a limit.
    private static func length(_ bound: Double) -> Int? { bound.isNaN ? nil : Int(max(-1, min(bound, 1e15))) }
}

extension PropertyValue {
    fileprivate var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .float(let value): Double(value)
        case .decimal(let value): (value as NSDecimalNumber).doubleValue
        case .date(let value): value.timeIntervalSinceReferenceDate
        default: nil
        }
    }

    fileprivate var decimalNumber: Decimal? {
        switch self {
        case .int(let value): Decimal(value)
        case .decimal(let value): value
        default: number.map { Decimal($0) }
        }
    }
}

extension ValidationRule {
    /// The violation of this rule by an attribute or a to-one relationship of a row; nil if there
    /// is none. Counts of to-many relationships are validated separately.
    func violation(in row: Row) -> (code: ValidationError.Code, why: String)? {
        if !path.isEmpty { return violationOfPart(in: row) }
        guard row.hasValue(slot) else { return demandsValue ? (.missingMandatoryProperty, "is required") : nil }
        if demandsValue { return nil }
        switch slot.kind {
        case .int: return row.int(slot).flatMap { checkNumber(Double($0)) }
        case .double, .date: return row.double(slot).flatMap { checkNumber($0) }
        case .float: return row.float(slot).flatMap { checkNumber(Double($0)) }
        case .decimal: return row.decimal(slot).flatMap { checkDecimal($0) }
        case .string: return row.string(slot).flatMap { checkString($0) }
        default: return nil
        }
    }

    private func violationOfPart(in row: Row) -> (code: ValidationError.Code, why: String)? {
        guard let whole = row.boxed(slot)?.value, case .composite = whole.part(at: path.dropLast()) else { return nil }
        switch whole.part(at: path) {
        case .null: return demandsValue ? (.missingMandatoryProperty, "is required") : nil
        case _ where demandsValue: return nil
        case .int(let value): return checkNumber(Double(value))
        case .double(let value): return checkNumber(value)
        case .float(let value): return checkNumber(Double(value))
        case .date(let value): return checkNumber(value.timeIntervalSinceReferenceDate)
        case .decimal(let value): return checkDecimal(value)
        case .string(let value): return checkString(value)
        default: return nil
        }
    }

    /// The validated value; nil for a relationship.
    func value(in row: Row) -> PropertyValue? {
        if property.attribute == nil { return nil }
        return path.isEmpty ? row.value(slot) : row.value(slot).part(at: path)
    }

    private func checkNumber(_ value: Double) -> (code: ValidationError.Code, why: String)? {
        switch demand {
        case .number(let least, let greatest):
            if let least, value < least { return (.numberTooSmall, "is less than \(Self.text(least))") }
            if let greatest, value > greatest { return (.numberTooLarge, "is greater than \(Self.text(greatest))") }
        case .date(let earliest, let latest):
            if let earliest, value < earliest {
                return (.dateTooSoon, "is before \(Date(timeIntervalSinceReferenceDate: earliest))")
            }
            if let latest, value > latest {
                return (.dateTooLate, "is after \(Date(timeIntervalSinceReferenceDate: latest))")
            }
        default: break
        }
        return nil
    }

    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    private func checkDecimal(_ value: Decimal) -> (code: ValidationError.Code, why: String)? {
        guard case .decimal(let least, let greatest) = demand else { return nil }
        if let least, value < least { return (.numberTooSmall, "is less than \(least)") }
        if let greatest, value > greatest { return (.numberTooLarge, "is greater than \(greatest)") }
        return nil
    }

    private func checkString(_ value: String) -> (code: ValidationError.Code, why: String)? {
        guard case .string(let shortest, let longest, let pattern) = demand else { return nil }
        let length = value.utf16.count
        if let shortest, length < shortest { return (.stringTooShort, "is shorter than \(shortest)") }
        if let longest, length > longest { return (.stringTooLong, "is longer than \(longest)") }
        if let pattern { return checkPattern(value, pattern) }
        return nil
    }

    private func checkPattern(_ value: String, _ pattern: String) -> (code: ValidationError.Code, why: String)? {
        do {
            let isMatching = try compiledPattern.withLock { compiled in
                let expression = try compiled ?? RegexPattern(pattern)
                compiled = expression
                return try expression.matches(value)
            }
            return isMatching ? nil : (.stringPattern, "does not match \(pattern)")
        } catch {
            // An invalid pattern matches nothing, and a match that takes too long is aborted.
            return (.stringPattern, "can't be checked: \((error as? QueryError)?.message ?? "\(error)")")
        }
    }
}
