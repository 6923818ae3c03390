import Schema

extension ManagedObjectContext {
    /// Checks everything that a save would write, and collects every failure.
    func validateChanges() throws {
        var failures: [ValidationError.Failure] = []
        var first: (any Error)?
        var count = 0
        for index in changes.records.indices {
            guard let object = changes.records[index].object, !object.state.contains(.inaccessible) else { continue }
            let shape = shapes[Int(object.entityIndex)]
            if shape.isPlain && shape.rules.isEmpty && !object.state.contains(.deleted) { continue }
            do {
                if object.state.contains(.deleted) {
                    try object.validateForDelete()
                } else if object.state.contains(.inserted) {
                    try object.validateForInsert()
                } else {
                    try object.validateForUpdate()
                }
            } catch {
                count += 1
                if first == nil { first = error }
                if let error = error as? ValidationError {
                    failures += error.failures
                } else {
                    failures.append(.init(.generic, "\(error)", object: object.objectID, entity: object.entity.name, underlying: error))
                }
            }
        }
        guard let first else { return }
        // The only error is passed on untouched, an application's own too (V4, V5).
        throw count == 1 ? first : ValidationError(failures)
    }
}
