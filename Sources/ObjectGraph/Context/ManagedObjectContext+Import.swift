import Schema
package import Storage

extension ManagedObjectContext {
    /// The rules that the changes of this context violate, as a save would find them: those of the first `limit` objects that violate any, but for those of
    /// `excluded` objects.
    /// - Throws: what a hook of the application's throws, and what reading the store throws.
    package func validationFailures(limit: Int, excluding excluded: Set<ManagedObject> = []) throws -> [ValidationError.Failure] {
        try preparation.throwLoadError()
        try preparation.collectChanges()
        try preparation.throwLoadError()
        do { try validator.validateChanges(limit: limit, excluding: excluded) } catch let error as ValidationError { return error.failures }
        return []
    }

    /// Has the changes of this context written by `write`, unchecked. Afterwards the objects are clean, and go when nobody holds them.
    package func writeUnchecked(_ write: (ChangeSet) throws -> SaveReceipt) throws {
        guard let prepared = try prepareSave(validates: false) else { return }
        do { completeSave(prepared, try write(prepared.changes)) } catch { throw failSave(prepared, error) }
    }

    /// Gives new objects the numbers that they had elsewhere. The caller knows that the store has no objects with these numbers.
    /// - Throws: ``GraphError`` with code `constraint` where two objects of a hierarchy would have one number.
    package func givePermanentNumbers(_ numbers: some Sequence<(ManagedObject, Int64)>) throws {
        var taken: [Int: Set<Int64>] = [:]
        let numbers = numbers.filter { $0.0.key < 0 && $0.0.contextReference != nil }
        for (object, number) in numbers {
            let root = rootIndex(Int(object.entityIndex))
            guard number > 0, taken[root, default: []].insert(number).inserted else {
                throw GraphError(.constraint, "Two objects can't have the number \(number) of \(object.entity.name)", entity: object.entity.name)
            }
        }
        for (object, number) in numbers { keys.givePermanentKey(object, number) }
        withExtendedLifetime(numbers) { keys.replaceTemporaryKeys([UnheldObjects(numbers.map { .passUnretained($0.0) })], savedObjects: nil) }
    }
}
