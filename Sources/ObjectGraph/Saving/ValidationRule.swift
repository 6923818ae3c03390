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
        case values(ValueDemand)
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
        if case .values(.value) = demand { demandsValue = true } else { demandsValue = false }
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
        // An object that was read has no transient value of a type that has nothing empty.
        let isDemanded = !attribute.isOptional && !(attribute.isTransient && attribute.type.emptyValue == nil)
        let own = (isDemanded ? [.value] : []) + ValueDemand.demands(onValuesOf: attribute)
        return own.map { (path, .values($0)) } + parts.flatMap { demands(of: $0, path + [$0.name], model) }
    }

    private static func demands(of relationship: RelationshipDescription) -> [Demand] {
        if !relationship.isToMany { return relationship.isOptional ? [] : [.values(.value)] }
        // Of a mandatory to-many relationship, only the count is validated: compiled models have a
        // minimum of 0 if the source has none, and applications leave such relationships empty.
        guard relationship.minCount > 0 || relationship.maxCount > 0 else { return [] }
        return [
            .objects(
                fewest: relationship.minCount, most: relationship.maxCount > 0 ? relationship.maxCount : .max,
                isOptional: relationship.isOptional)
        ]
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
        guard case .values(let demand) = demand else { return nil }
        return demand.violation(of: value).map { (ValidationError.Code($0.problem), $0.why) }
    }

    private func checkDecimal(_ value: Decimal) -> (code: ValidationError.Code, why: String)? {
        guard case .values(let demand) = demand else { return nil }
        return demand.violation(of: value).map { (ValidationError.Code($0.problem), $0.why) }
    }

    private func checkString(_ value: String) -> (code: ValidationError.Code, why: String)? {
        guard case .values(let demand) = demand else { return nil }
        return compiledPattern.withLock { demand.violation(of: value, &$0) }
            .map { (ValidationError.Code($0.problem), $0.why) }
    }
}

extension ValidationError.Code {
    fileprivate init(_ problem: ValueDemand.Problem) {
        self =
            switch problem {
            case .missing: .missingMandatoryProperty
            case .tooSmall: .numberTooSmall
            case .tooLarge: .numberTooLarge
            case .tooSoon: .dateTooSoon
            case .tooLate: .dateTooLate
            case .tooShort: .stringTooShort
            case .tooLong: .stringTooLong
            case .unlikePattern: .stringPattern
            }
    }
}
