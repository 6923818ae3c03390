package import Schema
package import Storage

extension MigrationPlan {
    /// The plan that is inferred from two versions; see ``MappingModel/inferred(from:to:)``.
    /// - Throws: ``MigrationError`` `notInferable` with all violations of the rules.
    package static func inferred(from source: ManagedObjectModel, to destination: ManagedObjectModel)
        throws(MigrationError) -> MigrationPlan
    {
        let inference = MappingInference(from: source, to: destination)
        try inference.requireSuccess()
        return inference.plan
    }
}
