import Foundation
import ObjectGraph
import Schema

extension CocoaErrors {
    /// The failures of the validation of an object or of one of its values as Cocoa's errors, each
    /// with the object, the key, the value and, for a predicate, the predicate.
    /// - Parameter value: The value that was validated; nil for the object's own.
    static func failures(_ error: any Error, of object: NSManagedObject, value: Any?? = nil) -> [any Error] {
        if let error = error as? ValidationError {
            return error.failures.map { failure($0, of: object, value: value) }
        }
        let cocoa = error as NSError
        if cocoa.domain == NSCocoaErrorDomain, cocoa.code == NSValidationMultipleErrorsError,
            let details = cocoa.userInfo[NSDetailedErrorsKey] as? [any Error], !details.isEmpty
        {
            return details
        }
        return [translated(error, in: object.owningContext)]
    }

    private static func failure(
        _ failure: ValidationError.Failure, of object: NSManagedObject, value: Any??
    ) -> any Error {
        if let own = failure.underlying { return translated(own, in: object.owningContext) }
        var info: [String: Any] = [NSValidationObjectErrorKey: object]
        if let key = failure.key {
            info[NSValidationKeyErrorKey] = key
            // A part of a composite has a path for a key.
            let current = key.contains(".") ? failure.value.flatMap { BridgedValue.plain($0, in: nil) } : nil
            let invalid: Any? = value ?? (current ?? object.value(forKey: key))
            info[NSValidationValueErrorKey] = invalid ?? NSNull()
            let described: NSEntityDescription = object.entity
            info[NSValidationPredicateErrorKey] =
                described.propertiesByName[key]?.rules.first {
                    $0.code == failure.code.rawValue
                }?.predicate
        }
        return made(failure.code.rawValue, failure.message, ValidationError([failure]), info)
    }

    /// Throws what failed: a single error as it is, several as one.
    static func throwCombined(_ failures: [any Error]) throws {
        guard failures.count != 1 else { throw failures[0] }
        if failures.isEmpty { return }
        throw made(
            NSValidationMultipleErrorsError,
            failures.map { ($0 as NSError).localizedDescription }.joined(separator: "; "),
            nil, [NSDetailedErrorsKey: failures.map { $0 as NSError }])
    }
}
