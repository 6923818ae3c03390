public import Foundation

// Core Data's error numbers, in Cocoa's domain, as constants and as members of `CocoaError.Code`.

/// A rule of an object's class.
public let NSManagedObjectValidationError = 1550
/// A uniqueness constraint, at validation.
public let NSManagedObjectConstraintValidationError = 1551
/// Several failures; see ``NSDetailedErrorsKey``.
public let NSValidationMultipleErrorsError = 1560
/// A mandatory property has no value.
public let NSValidationMissingMandatoryPropertyError = 1570
/// A relationship has fewer objects than its minimum.
public let NSValidationRelationshipLacksMinimumCountError = 1580
/// A relationship has more objects than its maximum.
public let NSValidationRelationshipExceedsMaximumCountError = 1590
/// A delete rule denies the deletion.
public let NSValidationRelationshipDeniedDeleteError = 1600
/// A number is too large.
public let NSValidationNumberTooLargeError = 1610
/// A number is too small.
public let NSValidationNumberTooSmallError = 1620
/// A date is too late.
public let NSValidationDateTooLateError = 1630
/// A date is too soon.
public let NSValidationDateTooSoonError = 1640
/// A date is not valid.
public let NSValidationInvalidDateError = 1650
/// A text is too long.
public let NSValidationStringTooLongError = 1660
/// A text is too short.
public let NSValidationStringTooShortError = 1670
/// A text does not match its pattern.
public let NSValidationStringPatternMatchingError = 1680
/// A URI is not valid.
public let NSValidationInvalidURIError = 1690
/// A context could not be locked.
public let NSManagedObjectContextLockingError = 132_000
/// A coordinator could not be locked.
public let NSPersistentStoreCoordinatorLockingError = 132_010
/// An object does not exist.
public let NSManagedObjectReferentialIntegrityError = 133_000
/// A relationship leads into another store.
public let NSManagedObjectExternalRelationshipError = 133_010
/// Objects changed in the store since they were read.
public let NSManagedObjectMergeError = 133_020
/// Values are not unique.
public let NSManagedObjectConstraintMergeError = 133_021
/// A type of store or request that there is not.
public let NSPersistentStoreInvalidTypeError = 134_000
/// A store is of another type.
public let NSPersistentStoreTypeMismatchError = 134_010
/// A store has another schema.
public let NSPersistentStoreIncompatibleSchemaError = 134_020
/// A save failed.
public let NSPersistentStoreSaveError = 134_030
/// A save wrote some of the stores.
public let NSPersistentStoreIncompleteSaveError = 134_040
/// A save found conflicts.
public let NSPersistentStoreSaveConflictsError = 134_050
/// An error without a code of its own.
public let NSCoreDataError = 134_060
/// An operation of a store failed.
public let NSPersistentStoreOperationError = 134_070
/// A store could not be opened.
public let NSPersistentStoreOpenError = 134_080
/// A store was busy for too long.
public let NSPersistentStoreTimeoutError = 134_090
/// A store does not support a request.
public let NSPersistentStoreUnsupportedRequestTypeError = 134_091
/// A store was written with another version of the model.
public let NSPersistentStoreIncompatibleVersionHashError = 134_100
/// A migration failed.
public let NSMigrationError = 134_110
/// A migration would violate a uniqueness constraint.
public let NSMigrationConstraintViolationError = 134_111
/// A migration was cancelled.
public let NSMigrationCancelledError = 134_120
/// The model of the old version is missing.
public let NSMigrationMissingSourceModelError = 134_130
/// The mapping model is missing.
public let NSMigrationMissingMappingModelError = 134_140
/// The old store could not be read.
public let NSMigrationManagerSourceStoreError = 134_150
/// The new store could not be written.
public let NSMigrationManagerDestinationStoreError = 134_160
/// A policy failed.
public let NSEntityMigrationPolicyError = 134_170
/// SQLite reported an error.
public let NSSQLiteError = 134_180
/// A mapping can't be inferred.
public let NSInferredMappingModelError = 134_190
/// An external record could not be read.
public let NSExternalRecordImportError = 134_200
/// The history after a token was deleted.
public let NSPersistentHistoryTokenExpiredError = 134_301
/// A model of a migration was not found.
public let NSManagedObjectModelReferenceNotFoundError = 134_504
/// A staged migration was begun by another version.
public let NSStagedMigrationFrameworkVersionMismatchError = 134_505
/// A staged migration would go back.
public let NSStagedMigrationBackwardMigrationError = 134_506

extension CocoaError.Code {
    /// A rule of an object's class.
    public static var managedObjectValidation: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectValidationError)
    }
    /// A uniqueness constraint, at validation.
    public static var managedObjectConstraintValidation: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectConstraintValidationError)
    }
    /// Several failures; see ``NSDetailedErrorsKey``.
    public static var validationMultipleErrors: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationMultipleErrorsError)
    }
    /// A mandatory property has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationMissingMandatoryPropertyError)
    }
    /// A relationship has fewer objects than its minimum.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationRelationshipLacksMinimumCountError)
    }
    /// A relationship has more objects than its maximum.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationRelationshipExceedsMaximumCountError)
    }
    /// A delete rule denies the deletion.
    public static var validationRelationshipDeniedDelete: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationRelationshipDeniedDeleteError)
    }
    /// A number is too large.
    public static var validationNumberTooLarge: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationNumberTooLargeError)
    }
    /// A number is too small.
    public static var validationNumberTooSmall: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationNumberTooSmallError)
    }
    /// A date is too late.
    public static var validationDateTooLate: CocoaError.Code { CocoaError.Code(rawValue: NSValidationDateTooLateError) }
    /// A date is too soon.
    public static var validationDateTooSoon: CocoaError.Code { CocoaError.Code(rawValue: NSValidationDateTooSoonError) }
    /// A date is not valid.
    public static var validationInvalidDate: CocoaError.Code { CocoaError.Code(rawValue: NSValidationInvalidDateError) }
    /// A text is too long.
    public static var validationStringTooLong: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationStringTooLongError)
    }
    /// A text is too short.
    public static var validationStringTooShort: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationStringTooShortError)
    }
    /// A text does not match its pattern.
    public static var validationStringPatternMatching: CocoaError.Code {
        CocoaError.Code(rawValue: NSValidationStringPatternMatchingError)
    }
    /// A URI is not valid.
    public static var validationInvalidURI: CocoaError.Code { CocoaError.Code(rawValue: NSValidationInvalidURIError) }
    /// A context could not be locked.
    public static var managedObjectContextLocking: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectContextLockingError)
    }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreCoordinatorLockingError)
    }
    /// An object does not exist.
    public static var managedObjectReferentialIntegrity: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectReferentialIntegrityError)
    }
    /// A relationship leads into another store.
    public static var managedObjectExternalRelationship: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectExternalRelationshipError)
    }
    /// Objects changed in the store since they were read.
    public static var managedObjectMerge: CocoaError.Code { CocoaError.Code(rawValue: NSManagedObjectMergeError) }
    /// Values are not unique.
    public static var managedObjectConstraintMerge: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectConstraintMergeError)
    }
    /// A type of store or request that there is not.
    public static var persistentStoreInvalidType: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreInvalidTypeError)
    }
    /// A store is of another type.
    public static var persistentStoreTypeMismatch: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreTypeMismatchError)
    }
    /// A store has another schema.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreIncompatibleSchemaError)
    }
    /// A save failed.
    public static var persistentStoreSave: CocoaError.Code { CocoaError.Code(rawValue: NSPersistentStoreSaveError) }
    /// A save wrote some of the stores.
    public static var persistentStoreIncompleteSave: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreIncompleteSaveError)
    }
    /// A save found conflicts.
    public static var persistentStoreSaveConflicts: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreSaveConflictsError)
    }
    /// An error without a code of its own.
    public static var coreData: CocoaError.Code { CocoaError.Code(rawValue: NSCoreDataError) }
    /// An operation of a store failed.
    public static var persistentStoreOperation: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreOperationError)
    }
    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { CocoaError.Code(rawValue: NSPersistentStoreOpenError) }
    /// A store was busy for too long.
    public static var persistentStoreTimeout: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreTimeoutError)
    }
    /// A store does not support a request.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreUnsupportedRequestTypeError)
    }
    /// A store was written with another version of the model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentStoreIncompatibleVersionHashError)
    }
    /// A migration failed.
    public static var migration: CocoaError.Code { CocoaError.Code(rawValue: NSMigrationError) }
    /// A migration would violate a uniqueness constraint.
    public static var migrationConstraintViolation: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationConstraintViolationError)
    }
    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { CocoaError.Code(rawValue: NSMigrationCancelledError) }
    /// The model of the old version is missing.
    public static var migrationMissingSourceModel: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationMissingSourceModelError)
    }
    /// The mapping model is missing.
    public static var migrationMissingMappingModel: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationMissingMappingModelError)
    }
    /// The old store could not be read.
    public static var migrationManagerSourceStore: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationManagerSourceStoreError)
    }
    /// The new store could not be written.
    public static var migrationManagerDestinationStore: CocoaError.Code {
        CocoaError.Code(rawValue: NSMigrationManagerDestinationStoreError)
    }
    /// A policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { CocoaError.Code(rawValue: NSEntityMigrationPolicyError) }
    /// SQLite reported an error.
    public static var sqlite: CocoaError.Code { CocoaError.Code(rawValue: NSSQLiteError) }
    /// A mapping can't be inferred.
    public static var inferredMappingModel: CocoaError.Code { CocoaError.Code(rawValue: NSInferredMappingModelError) }
    /// An external record could not be read.
    public static var externalRecordImport: CocoaError.Code { CocoaError.Code(rawValue: NSExternalRecordImportError) }
    /// The history after a token was deleted.
    public static var persistentHistoryTokenExpired: CocoaError.Code {
        CocoaError.Code(rawValue: NSPersistentHistoryTokenExpiredError)
    }
    /// A model of a migration was not found.
    public static var managedObjectModelReferenceNotFound: CocoaError.Code {
        CocoaError.Code(rawValue: NSManagedObjectModelReferenceNotFoundError)
    }
    /// A staged migration was begun by another version.
    public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
        CocoaError.Code(rawValue: NSStagedMigrationFrameworkVersionMismatchError)
    }
    /// A staged migration would go back.
    public static var stagedMigrationBackwardMigration: CocoaError.Code {
        CocoaError.Code(rawValue: NSStagedMigrationBackwardMigrationError)
    }
}

extension CocoaError {
    /// A rule of an object's class.
    public static var managedObjectValidation: CocoaError.Code { .managedObjectValidation }
    /// A uniqueness constraint, at validation.
    public static var managedObjectConstraintValidation: CocoaError.Code { .managedObjectConstraintValidation }
    /// Several failures; see ``NSDetailedErrorsKey``.
    public static var validationMultipleErrors: CocoaError.Code { .validationMultipleErrors }
    /// A mandatory property has no value.
    public static var validationMissingMandatoryProperty: CocoaError.Code { .validationMissingMandatoryProperty }
    /// A relationship has fewer objects than its minimum.
    public static var validationRelationshipLacksMinimumCount: CocoaError.Code {
        .validationRelationshipLacksMinimumCount
    }
    /// A relationship has more objects than its maximum.
    public static var validationRelationshipExceedsMaximumCount: CocoaError.Code {
        .validationRelationshipExceedsMaximumCount
    }
    /// A delete rule denies the deletion.
    public static var validationRelationshipDeniedDelete: CocoaError.Code { .validationRelationshipDeniedDelete }
    /// A number is too large.
    public static var validationNumberTooLarge: CocoaError.Code { .validationNumberTooLarge }
    /// A number is too small.
    public static var validationNumberTooSmall: CocoaError.Code { .validationNumberTooSmall }
    /// A date is too late.
    public static var validationDateTooLate: CocoaError.Code { .validationDateTooLate }
    /// A date is too soon.
    public static var validationDateTooSoon: CocoaError.Code { .validationDateTooSoon }
    /// A date is not valid.
    public static var validationInvalidDate: CocoaError.Code { .validationInvalidDate }
    /// A text is too long.
    public static var validationStringTooLong: CocoaError.Code { .validationStringTooLong }
    /// A text is too short.
    public static var validationStringTooShort: CocoaError.Code { .validationStringTooShort }
    /// A text does not match its pattern.
    public static var validationStringPatternMatching: CocoaError.Code { .validationStringPatternMatching }
    /// A URI is not valid.
    public static var validationInvalidURI: CocoaError.Code { .validationInvalidURI }
    /// A context could not be locked.
    public static var managedObjectContextLocking: CocoaError.Code { .managedObjectContextLocking }
    /// A coordinator could not be locked.
    public static var persistentStoreCoordinatorLocking: CocoaError.Code { .persistentStoreCoordinatorLocking }
    /// An object does not exist.
    public static var managedObjectReferentialIntegrity: CocoaError.Code { .managedObjectReferentialIntegrity }
    /// A relationship leads into another store.
    public static var managedObjectExternalRelationship: CocoaError.Code { .managedObjectExternalRelationship }
    /// Objects changed in the store since they were read.
    public static var managedObjectMerge: CocoaError.Code { .managedObjectMerge }
    /// Values are not unique.
    public static var managedObjectConstraintMerge: CocoaError.Code { .managedObjectConstraintMerge }
    /// A type of store or request that there is not.
    public static var persistentStoreInvalidType: CocoaError.Code { .persistentStoreInvalidType }
    /// A store is of another type.
    public static var persistentStoreTypeMismatch: CocoaError.Code { .persistentStoreTypeMismatch }
    /// A store has another schema.
    public static var persistentStoreIncompatibleSchema: CocoaError.Code { .persistentStoreIncompatibleSchema }
    /// A save failed.
    public static var persistentStoreSave: CocoaError.Code { .persistentStoreSave }
    /// A save wrote some of the stores.
    public static var persistentStoreIncompleteSave: CocoaError.Code { .persistentStoreIncompleteSave }
    /// A save found conflicts.
    public static var persistentStoreSaveConflicts: CocoaError.Code { .persistentStoreSaveConflicts }
    /// An error without a code of its own.
    public static var coreData: CocoaError.Code { .coreData }
    /// An operation of a store failed.
    public static var persistentStoreOperation: CocoaError.Code { .persistentStoreOperation }
    /// A store could not be opened.
    public static var persistentStoreOpen: CocoaError.Code { .persistentStoreOpen }
    /// A store was busy for too long.
    public static var persistentStoreTimeout: CocoaError.Code { .persistentStoreTimeout }
    /// A store does not support a request.
    public static var persistentStoreUnsupportedRequestType: CocoaError.Code { .persistentStoreUnsupportedRequestType }
    /// A store was written with another version of the model.
    public static var persistentStoreIncompatibleVersionHash: CocoaError.Code {
        .persistentStoreIncompatibleVersionHash
    }
    /// A migration failed.
    public static var migration: CocoaError.Code { .migration }
    /// A migration would violate a uniqueness constraint.
    public static var migrationConstraintViolation: CocoaError.Code { .migrationConstraintViolation }
    /// A migration was cancelled.
    public static var migrationCancelled: CocoaError.Code { .migrationCancelled }
    /// The model of the old version is missing.
    public static var migrationMissingSourceModel: CocoaError.Code { .migrationMissingSourceModel }
    /// The mapping model is missing.
    public static var migrationMissingMappingModel: CocoaError.Code { .migrationMissingMappingModel }
    /// The old store could not be read.
    public static var migrationManagerSourceStore: CocoaError.Code { .migrationManagerSourceStore }
    /// The new store could not be written.
    public static var migrationManagerDestinationStore: CocoaError.Code { .migrationManagerDestinationStore }
    /// A policy failed.
    public static var entityMigrationPolicy: CocoaError.Code { .entityMigrationPolicy }
    /// SQLite reported an error.
    public static var sqlite: CocoaError.Code { .sqlite }
    /// A mapping can't be inferred.
    public static var inferredMappingModel: CocoaError.Code { .inferredMappingModel }
    /// An external record could not be read.
    public static var externalRecordImport: CocoaError.Code { .externalRecordImport }
    /// The history after a token was deleted.
    public static var persistentHistoryTokenExpired: CocoaError.Code { .persistentHistoryTokenExpired }
    /// A model of a migration was not found.
    public static var managedObjectModelReferenceNotFound: CocoaError.Code { .managedObjectModelReferenceNotFound }
    /// A staged migration was begun by another version.
    public static var stagedMigrationFrameworkVersionMismatch: CocoaError.Code {
        .stagedMigrationFrameworkVersionMismatch
    }
    /// A staged migration would go back.
    public static var stagedMigrationBackwardMigration: CocoaError.Code { .stagedMigrationBackwardMigration }
}
