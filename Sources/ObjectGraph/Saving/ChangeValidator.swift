import RowMemory
import Schema
import Storage

/// Validates the changes that a save would write.
struct ChangeValidator {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Validates all changes that a save would write, and collects all failures except those that
    /// are only a consequence of another failure.
    /// - Parameters:
    ///   - limit: The number of invalid objects after which validation stops.
    ///   - excluded: Objects that are not validated.
    func validateChanges(limit: Int = .max, excluding excluded: Set<ManagedObject> = []) throws {
        var errors: [(object: ManagedObject, error: any Error)] = []
        // The key and value for errors that applications throw themselves, which don't contain
        // them.
        var ownFailures: [ManagedObjectID: ValidationError.Failure] = [:]
        defer { context.nextSave.ownFailure = nil }
        for index in context.changes.indices {
            guard let unheld = context.changes.unowned(at: index),
                unheld._withUnsafeGuaranteedRef({ !$0.state.contains(.inaccessible) && !isPlainlyValid($0) }),
                let object = context.changes.object(at: index), !excluded.contains(object)
            else { continue }
            context.nextSave.ownFailure = nil
            do {
                if object.state.contains(.deleted) {
                    try object.validateForDelete()
                } else if object.state.contains(.inserted) {
                    try object.validateForInsert()
                } else {
                    try object.validateForUpdate()
                }
            } catch {
                errors.append((object, error))
                ownFailures[object.objectID] = context.nextSave.ownFailure
                if errors.count >= limit { break }
            }
        }
        // A single error is thrown unchanged, also an application's own.
        if errors.count > 1 { errors = withoutConsequencesOfDenials(errors) }
        guard let first = errors.first else { return }
        throw errors.count == 1
            ? first.error
            : ValidationError(
                errors.flatMap { Self.failures(of: $0.error, $0.object, ownFailures[$0.object.objectID]) })
    }

    /// The deletions among the unsaved changes that a delete rule denies.
    func deniedDeletions() throws -> [DeniedDeletion] {
        try context.keys.obtainPermanentIDsForInsertedObjects()
        return context.changes.indices.compactMap { index in
            guard let object = context.changes.object(at: index), object.state.contains(.deleted),
                !object.state.contains(.inaccessible)
            else { return nil }
            do { try object.validateForDelete() } catch {
                return DeniedDeletion(object, Self.failures(of: error, object))
            }
            return nil
        }
    }

    /// A fast check that an object is valid: it has all required values, there are no other rules,
    /// and its class is `ManagedObject`. True for most objects, so that only few need the full
    /// validation.
    func isPlainlyValid(_ object: ManagedObject) -> Bool {
        guard context.registry.isPlain[Int(object.entityIndex)], object.state.isDisjoint(with: [.deleted, .fault]),
            let cells = object.cells
        else { return false }
        return context.registry.shapeReferences[Int(object.entityIndex)]._withUnsafeGuaranteedRef { shape in
            shape.demandedValues.map { cells.hasValues($0) } ?? false
        }
    }

    static func failures(of error: any Error, _ object: ManagedObject, _ own: ValidationError.Failure? = nil)
        -> [ValidationError.Failure]
    {
        if let read = ValidationError(reading: error) {
            return read.failures.map { failure in
                var failure = failure
                failure.object = failure.object ?? object.objectID
                failure.entity = failure.entity ?? object.entity.name
                return failure
            }
        }
        // An override may have caught the validator's error and thrown another.
        let own = own.flatMap { failure in failure.underlying.map { "\($0)" } == "\(error)" ? failure : nil }
        return [
            own ?? .init(.generic, "\(error)", object: object.objectID, entity: object.entity.name, underlying: error)
        ]
    }

    /// Removes failures that follow from denied deletions: a denied deletion has already removed
    /// the object from relationships of other objects, so that these are missing a required object
    /// or have too few.
    func withoutConsequencesOfDenials(_ errors: [(object: ManagedObject, error: any Error)]) -> [(
        object: ManagedObject, error: any Error
    )] {
        let denied = errors.filter {
            ValidationError(reading: $0.error)?.failures.contains { $0.code == .deleteDenied } ?? false
        }
        if denied.isEmpty { return errors }
        let broken = denied.reduce(into: Set()) { $0.formUnion(ObjectValidator($1.object).keysBrokenByDeletion()) }
        return errors.compactMap { object, error in
            guard let own = ValidationError(reading: error) else { return (object, error) }
            let left = own.failures.filter { failure in
                guard failure.code == .missingMandatoryProperty || failure.code == .tooFewObjects,
                    let id = failure.object, let key = failure.key
                else { return true }
                return !broken.contains(ObjectValidator.BrokenKey(object: id, key: key))
            }
            if left.count == own.failures.count { return (object, error) }
            return left.isEmpty ? nil : (object, ValidationError(left))
        }
    }
}
