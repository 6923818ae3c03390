import Foundation
import Query
import Schema
import Storage

/// The rules of the new version that are stricter than those of the old one.
extension MappingInference {
    var ruleConditions: [MigrationCondition] {
        var conditions: [MigrationCondition] = []
        for entity in destination.entities {
            guard let step = plan.steps[entity.index] else { continue }
            let origin = source.entities[step.sourceIndex]
            func add(_ property: PropertyDescription?, _ text: String) {
                conditions.append(MigrationCondition(entity: entity.name, property: property?.name, text: text))
            }
            if entity.isAbstract, !origin.isAbstract { add(nil, "becomes abstract: there are no objects of its own") }
            for property in entity.properties where !property.isTransient {
                var former: PropertyDescription?
                if case .counterpart = step.origins[property.index] { continue }
                if case .property(let index) = step.origins[property.index] { former = origin.properties[index] }
                let texts =
                    property.attribute.map { stricterRules($0, formerly: former?.attribute) }
                    ?? stricterRules(property.relationship, formerly: former?.relationship)
                for text in texts { add(property, text) }
            }
            let known = Set(origin.definition.uniquenessConstraints.map { $0.sorted() })
            for names in entity.definition.uniquenessConstraints {
                let formerNames = names.map { name -> String in
                    guard let property = entity.property(named: name),
                        case .property(let index) = step.origins[property.index]
                    else { return name }
                    return origin.properties[index].name
                }
                if !known.contains(formerNames.sorted()) {
                    add(nil, "is to be unique by \(names.joined(separator: ", ")): no two objects have equal values")
                }
            }
        }
        return conditions
    }

    private func stricterRules(_ attribute: AttributeDescription, formerly old: AttributeDescription?) -> [String] {
        // New attributes have their default value.
        guard let old, !attribute.isDerived else { return [] }
        let former = ValueDemand.demands(onValuesOf: old)
        return ValueDemand.demands(onValuesOf: attribute).flatMap { demand -> [String] in
            switch (demand, former.first) {
            case (.number(let least, let greatest), .number(let low, let high)?):
                [
                    attribute.minimumValue != nil && Self.isAbove(least, low) ? demand.text(below: true) : nil,
                    attribute.maximumValue != nil && Self.isBelow(greatest, high) ? demand.text(below: false) : nil,
                ].compactMap { $0 }
            case (.date(let least, let greatest), .date(let low, let high)?):
                [
                    Self.isAbove(least, low) ? demand.text(below: true) : nil,
                    Self.isBelow(greatest, high) ? demand.text(below: false) : nil,
                ].compactMap { $0 }
            case (.decimal(let least, let greatest), .decimal(let low, let high)?):
                [
                    Self.isAbove(least, low) ? demand.text(below: true) : nil,
                    Self.isBelow(greatest, high) ? demand.text(below: false) : nil,
                ].compactMap { $0 }
            case (.string(let shortest, let longest, let pattern), .string(let low, let high, let form)?):
                [
                    Self.isAbove(shortest, low) ? "has no text shorter than \(shortest ?? 0)" : nil,
                    Self.isBelow(longest, high) ? "has no text longer than \(longest ?? 0)" : nil,
                    pattern != nil && pattern != form ? "has texts that match \(pattern ?? "") alone" : nil,
                ].compactMap { $0 }
            case (.string(let shortest, let longest, let pattern), _):
                [
                    shortest.map { "has no text shorter than \($0)" }, longest.map { "has no text longer than \($0)" },
                    pattern.map { "has texts that match \($0) alone" },
                ].compactMap { $0 }
            default:
                [
                    attribute.minimumValue == nil ? nil : demand.text(below: true),
                    attribute.maximumValue == nil ? nil : demand.text(below: false),
                ].compactMap { $0 }
            }
        }
    }

    private static func isAbove<Bound: Comparable>(_ new: Bound?, _ old: Bound?) -> Bool {
        guard let new else { return false }
        return old.map { new > $0 } ?? true
    }

    private static func isBelow<Bound: Comparable>(_ new: Bound?, _ old: Bound?) -> Bool {
        guard let new else { return false }
        return old.map { new < $0 } ?? true
    }

    private func stricterRules(_ relationship: RelationshipDescription?, formerly old: RelationshipDescription?)
        -> [String]
    {
        guard let relationship else { return [] }
        guard relationship.isToMany else {
            return relationship.isOptional || old.map { !$0.isToMany && !$0.isOptional } ?? false
                ? [] : ["is mandatory: every object has an object"]
        }
        let least = old.map { $0.isToMany ? $0.minCount : $0.isOptional ? 0 : 1 } ?? 0
        let most = old.map { $0.isToMany ? ($0.maxCount > 0 ? $0.maxCount : .max) : 1 } ?? Int.max
        let mayBeEmpty = old?.isOptional ?? true
        return [
            relationship.minCount > 0
                && (relationship.minCount > least || !relationship.isOptional && mayBeEmpty)
                ? "has at least \(relationship.minCount) objects\(relationship.isOptional ? ", or none" : "")" : nil,
            relationship.maxCount > 0 && relationship.maxCount < most
                ? "has at most \(relationship.maxCount) objects" : nil,
        ].compactMap { $0 }
    }
}

extension ValueDemand {
    /// The text for values below or above a bound; nil without that bound.
    fileprivate func text(below isBelow: Bool) -> String? {
        let found: Violation? =
            switch self {
            case .number(let least, let greatest), .date(let least, let greatest):
                isBelow
                    ? least.flatMap { self.violation(of: $0.nextDown) }
                    : greatest.flatMap { self.violation(of: $0.nextUp) }
            case .decimal(let least, let greatest):
                isBelow ? least.flatMap { self.violation(of: $0 - 1) } : greatest.flatMap { self.violation(of: $0 + 1) }
            case .value, .string: nil
            }
        return found.map { "has no value that \($0.why)" }
    }
}
