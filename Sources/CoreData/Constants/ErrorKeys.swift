// The keys of an error's user info.

/// The errors of several failures: an array of `NSError`.
public let NSDetailedErrorsKey = "NSDetailedErrors"
/// The object that is not valid.
public let NSValidationObjectErrorKey = "NSValidationErrorObject"
/// The key of the value that is not valid.
public let NSValidationKeyErrorKey = "NSValidationErrorKey"
/// The predicate that a value does not satisfy.
public let NSValidationPredicateErrorKey = "NSValidationErrorPredicate"
/// The value that is not valid.
public let NSValidationValueErrorKey = "NSValidationErrorValue"
/// The stores that an error concerns.
public let NSAffectedStoresErrorKey = "NSAffectedStoresErrorKey"
/// The objects that an error concerns.
public let NSAffectedObjectsErrorKey = "NSAffectedObjectsErrorKey"
/// The conflicts of a save.
public let NSPersistentStoreSaveConflictsErrorKey = "conflictList"
/// The domain of SQLite's own errors.
public let NSSQLiteErrorDomain = "NSSQLiteErrorDomain"
/// The key of the version that wrote a store.
public let NSCoreDataVersionNumberKey = "NSPersistenceFrameworkVersion"
