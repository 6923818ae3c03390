import Foundation
import ObjectGraph
import Schema

extension NSManagedObject {
    /// The numbers of the errors of bounds.
    private static let boundCodes = NSValidationNumberTooLargeError...NSValidationStringPatternMatchingError

    /// Validates all values: by the rules of the model, and by the predicates of properties.
    ///
    /// - Throws: A `CocoaError` of a single failure, or with the number of several; errors of the
    ///   application as they are.
    func validateProperties(byModel rules: () throws -> Void) throws {
        try validate(rules, value: nil) {
            let described: NSEntityDescription = entity
            return described.propertiesWithPredicates.map { ($0, value(forKey: $0.name)) }
        }
    }

    /// Validates one value: by the rules of the model, and by the predicates of its property.
    func validate(_ value: Any?, forKey key: String, byModel rule: (Any?) throws -> Void) throws {
        let own = value is NSNull ? nil : value
        let described: NSEntityDescription = entity
        try validate({ try rule(checkable(own, key)) }, value: own) {
            described.propertiesWithPredicates.filter { $0.name == key }.map { ($0, own) }
        }
    }

    /// Validates the deletion.
    func validateDeletion(byModel rule: () throws -> Void) throws { try validate(rule, value: nil) { [] } }

    private func validate(
        _ rules: () throws -> Void, value: Any??, asked: () -> [(property: NSPropertyDescription, value: Any?)]
    ) throws {
        var failures: [any Error] = []
        do { try rules() } catch { failures = CocoaErrors.failures(error, of: self, value: value) }
        for (property, value) in asked() {
            // A value that there is not is asked for by no predicate.
            guard let value else { continue }
            for rule in property.rules where !rule.predicate.evaluate(with: value) {
                add(failure(of: value, property, rule), isNamed: rule.warning != nil, to: &failures)
            }
        }
        try CocoaErrors.throwCombined(failures)
    }

    /// The error of a value that does not satisfy a predicate.
    private func failure(of value: Any, _ property: NSPropertyDescription, _ rule: PropertyRule) -> CocoaError {
        CocoaErrors.made(
            rule.code, rule.warning as? String ?? "\(modelEntity.name).\(property.name) is not valid", nil,
            [
                NSValidationObjectErrorKey: self, NSValidationKeyErrorKey: property.name,
                NSValidationValueErrorKey: value, NSValidationPredicateErrorKey: rule.predicate,
            ])
    }

    /// Adds a predicate's failure in place of that of the bound that it is. One without a text says
    /// less than the bound's.
    private func add(_ violation: CocoaError, isNamed: Bool, to failures: inout [any Error]) {
        let key = violation.userInfo[NSValidationKeyErrorKey] as? String
        let others = failures.map { $0 as NSError }
        let ofKey = others.indices.filter { others[$0].userInfo[NSValidationKeyErrorKey] as? String == key }
        let bounds = ofKey.filter { Self.boundCodes.contains(others[$0].code) }
        let isKnown = ofKey.contains {
            others[$0].code == violation.errorCode && others[$0].localizedDescription == violation.localizedDescription
        }
        if isKnown || (!isNamed && !bounds.isEmpty) { return }
        failures = failures.indices.filter { !bounds.contains($0) }.map { failures[$0] }
        failures.append(violation)
    }

    /// The value as the rules of Folio's model take it.
    private func checkable(_ value: Any?, _ key: String) throws -> Any? {
        guard let value, let property = modelEntity.property(named: key) else { return value }
        if property.isToMany { return BridgedValue.elements(of: value) ?? value }
        // What the transformer makes of a value is data.
        if let attribute = property.attribute, attribute.type == .transformable {
            return try TransformableValue.data(of: value, attribute)
        }
        return BridgedValue.propertyValue(value) ?? value
    }
}
