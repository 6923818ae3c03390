internal import Coding
internal import Foundation
internal import Schema

/// Converts between limits and patterns of attributes and the predicates on the value that compiled
/// models contain.
enum ValidationPredicates {
    /// Reads the validation predicates of an attribute as its limits and pattern. Other predicates,
    /// which only models built in code have, are kept as text.
    static func read(_ object: ArchivedObject, into attribute: inout AttributeDescription) throws {
        var others: [String] = []
        for predicate in try object.object("NSValidationPredicates")?.elements() ?? [] {
            guard let predicate else { continue }
            if try !apply(predicate, to: &attribute) { others.append(try PredicateText().predicate(predicate)) }
        }
        if !others.isEmpty { attribute.extraMarkup["validationPredicates"] = others.joined(separator: "\n") }
    }

    /// - Returns: False if the predicate is neither a limit nor a pattern.
    private static func apply(_ predicate: ArchivedObject, to attribute: inout AttributeDescription) throws -> Bool {
        var parts = [predicate]
        if predicate.isKind(of: "NSCompoundPredicate") {
            guard try predicate.integer("NSCompoundPredicateType") == 1 else { return false }
            parts = try predicate.object("NSSubpredicates")?.elements()?.compactMap { $0 } ?? []
        }
        var copy = attribute
        for part in parts {
            guard part.isKind(of: "NSComparisonPredicate"), try applyComparison(part, to: &copy) else { return false }
        }
        attribute = copy
        return !parts.isEmpty
    }

    private static func applyComparison(_ object: ArchivedObject, to attribute: inout AttributeDescription) throws
        -> Bool
    {
        let subject = try PredicateText().expression(try object.required("NSLeftExpression"))
        guard let right = try object.object("NSRightExpression"), right.className == "NSConstantValueExpression",
            let constant = try right.object("NSConstantValue")
        else { return false }
        let isLength = attribute.type == .string && (subject == "length" || subject == "SELF.length")
        guard isLength || subject == "SELF" else { return false }
        let boundType = isLength ? AttributeType.integer64 : attribute.type
        switch try object.required("NSPredicateOperator").integer("NSOperatorType") {
        case 3 where isLength || attribute.type != .string:
            guard let bound = try CompiledModelReader.value(constant, boundType) else { return false }
            attribute.minimumValue = bound
        case 1 where isLength || attribute.type != .string:
            guard let bound = try CompiledModelReader.value(constant, boundType) else { return false }
            attribute.maximumValue = bound
        case 6 where subject == "SELF" && attribute.type == .string:
            guard let pattern = constant.string else { return false }
            attribute.regularExpression = pattern
        default: return false
        }
        return true
    }

    // MARK: Writing

    /// The validation predicates of an attribute, each with the error code that Core Data reports
    /// for a violation.
    static func requirements(_ attribute: AttributeDescription) -> [(node: PredicateNode, errorCode: Int64)] {
        let isString = attribute.type == .string, isDate = attribute.type == .date
        let subject: PredicateNode.Expression = isString ? .keyPath("length") : .evaluatedObject
        var result: [(PredicateNode, Int64)] = []
        if let bound = attribute.minimumValue {
            result.append(
                (
                    .comparison(subject, 3, .constant(bound), options: 0, modifier: 0),
                    isString ? 1670 : isDate ? 1640 : 1620
                ))
        }
        if let bound = attribute.maximumValue {
            result.append(
                (
                    .comparison(subject, 1, .constant(bound), options: 0, modifier: 0),
                    isString ? 1660 : isDate ? 1630 : 1610
                ))
        }
        if let pattern = attribute.regularExpression {
            result.append(
                (.comparison(.evaluatedObject, 6, .constant(.string(pattern)), options: 0, modifier: 0), 1680))
        }
        return result
    }
}
