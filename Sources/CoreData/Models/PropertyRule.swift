import Foundation
import ObjectGraph
import Query
import Schema

/// A predicate that the values of a property have to satisfy.
struct PropertyRule {
    let predicate: NSPredicate
    /// A text for people, or the number of an error; nil for neither.
    let warning: Any?

    /// The number of the error of a value that does not satisfy the predicate.
    var code: Int { (warning as? NSNumber)?.intValue ?? NSManagedObjectValidationError }
}

extension AttributeDescription {
    /// The bounds as the predicates that models keep, each with the number of its error.
    var boundRules: [PropertyRule] {
        let isText = type == .string, isDate = type == .date
        let subject = isText ? "length" : "SELF"
        var rules: [PropertyRule] = []
        func add(_ format: String, _ bound: PropertyValue?, _ code: Int) {
            guard let bound = bound.flatMap({ BridgedValue.plain($0, in: nil) }) else { return }
            rules.append(
                PropertyRule(predicate: NSPredicate(format: format, bound), warning: NSNumber(value: code)))
        }
        add(
            "\(subject) >= %@", minimumValue,
            isText
                ? NSValidationStringTooShortError
                : isDate ? NSValidationDateTooSoonError : NSValidationNumberTooSmallError)
        add(
            "\(subject) <= %@", maximumValue,
            isText
                ? NSValidationStringTooLongError
                : isDate ? NSValidationDateTooLateError : NSValidationNumberTooLargeError)
        add("SELF MATCHES %@", regularExpression.map { .string($0) }, NSValidationStringPatternMatchingError)
        return rules
    }

    /// Takes the bounds that predicates are: `SELF >= 1`, `length <= 20`, `SELF MATCHES "…"`. They
    /// are kept as values, so that stores and other programs know them.
    mutating func takeBounds(of predicates: [NSPredicate]) {
        (minimumValue, maximumValue, regularExpression) = (nil, nil, nil)
        for predicate in predicates {
            guard case .comparison(let comparison)? = try? predicate.fetchPredicate(),
                case .constant(let value) = comparison.right
            else { continue }
            switch (comparison.left, comparison.operator) {
            case (.evaluatedObject, .greaterOrEqual), (.keyPath(_, ["length"]), .greaterOrEqual): minimumValue = value
            case (.evaluatedObject, .lessOrEqual), (.keyPath(_, ["length"]), .lessOrEqual): maximumValue = value
            case (.evaluatedObject, .matches):
                if case .string(let pattern) = value { regularExpression = pattern }
            default: break
            }
        }
    }
}
