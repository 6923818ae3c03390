public import Foundation
public import ObjectGraph
import Schema

// The failures that Core Data has numbers for carry these, in its domain and under its keys, for
// code that looks at `NSError`.

extension ValidationError: CustomNSError {
    public static var errorDomain: String { NSCocoaErrorDomain }

    public var errorCode: Int { code.rawValue }

    /// The object's ID, the key and the value under Core Data's keys if there is a single failure;
    /// if there are several, an array of errors under `NSDetailedErrors`.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        if failures.count > 1 {
            info["NSDetailedErrors"] = failures.map { ValidationError([$0]) }
            return info
        }
        info["NSValidationErrorObject"] = failures[0].object
        info["NSValidationErrorKey"] = failures[0].key
        info["NSValidationErrorValue"] = failures[0].value
        info[NSUnderlyingErrorKey] = failures[0].underlying
        return info
    }
}

extension GraphError: CustomNSError {
    public static var errorDomain: String { NSCocoaErrorDomain }

    /// ``GraphError/cocoaCode``, or 134060, Core Data's number for errors without a number of their
    /// own.
    public var errorCode: Int { cocoaCode ?? 134_060 }

    /// The conflicts under Core Data's keys.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        if !conflicts.isEmpty { info["NSPersistentStoreSaveConflictsErrorKey"] = conflicts }
        if !constraintConflicts.isEmpty { info["conflictList"] = constraintConflicts }
        info[NSUnderlyingErrorKey] = underlying
        return info
    }
}
