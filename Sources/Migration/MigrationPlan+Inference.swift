package import Schema
package import Storage

extension MigrationPlan {
    /// The plan that follows from two versions alone; see ``MappingModel/inferred(from:to:)``.
    /// - Throws: ``MigrationError`` `notInferable` with everything that breaks a rule.
    package static func inferred(from source: ManagedObjectModel, to destination: ManagedObjectModel)
        throws(MigrationError) -> MigrationPlan
    {
        let inference = MappingInference(from: source, to: destination)
        try inference.requireSuccess()
        return inference.plan
    }
}
