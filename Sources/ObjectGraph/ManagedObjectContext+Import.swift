import Schema

extension ManagedObjectContext {
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
