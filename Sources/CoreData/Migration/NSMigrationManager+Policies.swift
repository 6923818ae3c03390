import Migration

extension NSMigrationManager {
    /// The policy of an entity mapping as one of Folio's: the class that the mapping names, or the
    /// standard one.
    func policy(of entity: EntityMapping) throws -> EntityMigrationPolicy {
        guard let name = entity.migrationPolicyName else { return PolicyBridge(NSEntityMigrationPolicy(), self) }
        guard let type = ObjectClasses.type(named: name, as: NSEntityMigrationPolicy.self),
            let policy = ProgramClasses.instance(of: type) as? NSEntityMigrationPolicy
        else {
            throw MigrationError(.policy, "The mapping “\(entity.name)” needs the policy \(name), which there is not")
        }
        return PolicyBridge(policy, self)
    }
}
