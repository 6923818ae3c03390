import Folio
import Foundation
import Migration
import ModelFiles
import ObjectGraph
import Query
import Schema
import Storage

/// Runs `body`, whose errors are thrown as Cocoa's, with Core Data's codes and keys. Errors of the
/// application's own are thrown as they are.
/// - Parameter context: The context whose objects the errors name; nil where they are told by ID.
func translatingErrors<Result>(in context: ManagedObjectContext? = nil, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw CocoaErrors.translated(error, in: context) }
}

/// Runs `body`, which may migrate stores, as `translatingErrors`: values that are not unique in the
/// new version have a number of their own.
func translatingMigrationErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch {
        let isConstraint =
            (error as? StorageError)?.code == .constraint || (error as? GraphError)?.code == .constraint
        guard isConstraint else { throw CocoaErrors.translated(error) }
        throw CocoaErrors.made(NSMigrationConstraintViolationError, "\(error)", error)
    }
}

extension CocoaErrors {
    static func translated(_ error: any Error, in context: ManagedObjectContext? = nil) -> any Error {
        switch error {
        case let error as StoreCallError: translated(error.error)
        case let error as ValidationError: translated(error, in: context)
        case let error as GraphError: translated(error, in: context)
        case let error as StorageError: translated(error, in: context)
        case let error as MigrationError: translated(error)
        case let error as QueryError: made(NSPersistentStoreInvalidTypeError, error.description, error)
        case let error as ModelError: made(NSCoreDataError, error.description, error)
        default: error
        }
    }

    /// The object with an ID, where a context has it.
    private static func object(_ id: ManagedObjectID?, in context: ManagedObjectContext?) -> Any? {
        guard let id else { return nil }
        return context?.registeredObject(for: id) ?? id
    }

    private static func translated(_ error: ValidationError, in context: ManagedObjectContext?) -> any Error {
        let single = error.failures.map { failure -> any Error in
            if let own = failure.underlying { return translated(own, in: context) }
            var info: [String: Any] = [:]
            info[NSValidationObjectErrorKey] = object(failure.object, in: context)
            info[NSValidationKeyErrorKey] = failure.key
            info[NSValidationValueErrorKey] = failure.value.flatMap { BridgedValue.plain($0, in: nil) }
            return made(failure.code.rawValue, failure.message, ValidationError([failure]), info)
        }
        if single.count == 1 { return single[0] }
        return made(
            NSValidationMultipleErrorsError, error.description, error,
            [NSDetailedErrorsKey: single.map { $0 as NSError }])
    }

    private static func translated(_ error: GraphError, in context: ManagedObjectContext?) -> any Error {
        var info: [String: Any] = [:]
        if !error.conflicts.isEmpty {
            info[NSPersistentStoreSaveConflictsErrorKey] = error.conflicts.map { NSMergeConflict($0, context) }
        }
        if !error.constraintConflicts.isEmpty {
            info[NSPersistentStoreSaveConflictsErrorKey] = error.constraintConflicts.map {
                NSConstraintConflict($0, context)
            }
        }
        info[NSAffectedObjectsErrorKey] = object(error.object, in: context).map { [$0] }
        if let code = error.cocoaCode {
            let isUnique = error.code == .constraint && !error.constraintConflicts.isEmpty
            return made(
                error.code == .constraint && !isUnique ? NSValidationRelationshipDeniedDeleteError : code,
                error.message,
                error, info)
        }
        if let cause = error.underlying as? StorageError { return translated(cause, in: context) }
        return made(
            error.code == .noStore ? NSPersistentStoreOperationError : NSCoreDataError, error.message, error, info)
    }

    private static func translated(_ error: StorageError, in context: ManagedObjectContext?) -> any Error {
        if let own = error.underlying as? StoreCallError { return translated(own) }
        var info: [String: Any] = [:]
        info[NSFilePathErrorKey] = error.path
        let stores = context.flatMap { NSManagedObjectContext.of($0).persistentStoreCoordinator }?.persistentStores
        let affected = stores?.filter { store in error.path.map { $0 == store.url?.path } ?? false } ?? []
        if !affected.isEmpty { info[NSAffectedStoresErrorKey] = affected }
        let code: Int
        switch error.code {
        case .notFound: code = NSFileReadNoSuchFileErrorCode
        case .incompatibleModel:
            let isUnknown = (error.underlying as? MigrationError)?.code == .missingModel
            code = isUnknown ? NSMigrationMissingSourceModelError : NSPersistentStoreIncompatibleVersionHashError
        case .unmigratable:
            let isMissing = (error.underlying as? MigrationError)?.code == .missingMapping
            code = isMissing ? NSMigrationMissingMappingModelError : NSMigrationError
        case .invalidObjects: code = NSMigrationError
        case .readOnly: code = NSPersistentStoreSaveError
        case .crossStore: code = NSManagedObjectExternalRelationshipError
        case .historyExpired: code = NSPersistentHistoryTokenExpiredError
        case .conflict: code = NSManagedObjectMergeError
        case .constraint: code = NSManagedObjectConstraintMergeError
        case .busy: code = NSPersistentStoreTimeoutError
        case .unsupported: code = NSPersistentStoreUnsupportedRequestTypeError
        case .damaged: code = NSFileReadCorruptFileErrorCode
        case .cannotCreate: code = NSPersistentStoreOpenError
        case .cancelled: code = NSMigrationCancelledError
        default: code = NSPersistentStoreOperationError
        }
        return made(code, error.message, error, info)
    }

    private static func translated(_ error: MigrationError) -> any Error {
        if let own = error.underlying, error.code == .policy, !(own is QueryError) { return translated(own) }
        let code: Int
        switch error.code {
        case .notInferable: code = NSInferredMappingModelError
        case .missingModel: code = NSMigrationMissingSourceModelError
        case .missingMapping: code = NSMigrationMissingMappingModelError
        case .cancelled: code = NSMigrationCancelledError
        default: code = NSMigrationError
        }
        return made(code, error.description, error)
    }
}

/// Foundation's code that Core Data's errors use for a damaged file.
private let NSFileReadCorruptFileErrorCode = 259
