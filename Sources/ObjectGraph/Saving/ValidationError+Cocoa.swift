import Foundation

extension ValidationError {
    /// Core Data's numbers of failed validations.
    private static let cocoaCodes = 1550..<1700

    /// What an error of a validation says: a `ValidationError`, or an error of Cocoa's domain with
    /// one of Core Data's numbers, as objects of Core Data's shape throw them. Nil for others.
    ///
    /// The failures read from Cocoa's errors have these as their `underlying` error. Several are
    /// those under `NSDetailedErrors`.
    package init?(reading error: any Error) {
        if let own = error as? ValidationError {
            self = own
            return
        }
        let cocoa = error as NSError
        guard cocoa.domain == NSCocoaErrorDomain, Self.cocoaCodes.contains(cocoa.code) else { return nil }
        if cocoa.code == Code.multiple.rawValue, let details = cocoa.userInfo["NSDetailedErrors"] as? [any Error],
            !details.isEmpty
        {
            failures = details.flatMap { detail in
                ValidationError(reading: detail)?.failures ?? [Failure(.generic, "\(detail)", underlying: detail)]
            }
            return
        }
        var failure =
            (cocoa.userInfo[NSUnderlyingErrorKey] as? ValidationError)?.failures.first
            ?? Failure(
                Code(rawValue: cocoa.code), cocoa.localizedDescription,
                key: cocoa.userInfo["NSValidationErrorKey"] as? String)
        failure.underlying = error
        failures = [failure]
    }
}
