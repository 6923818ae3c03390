import Foundation
import Synchronization

extension EntityMigrationPolicy {
    private static let registered = Mutex<[String: EntityMigrationPolicy.Type]>([:])

    /// Registers the class for all migrations of the program, under the name by which mapping
    /// models name it. A mapping model may name the module as well.
    ///
    /// ```swift
    /// MakerPolicy.register(as: "MakerPolicy")
    /// ```
    /// A class that a mapping model names as `Module.Class` need not be registered.
    public class func register(as name: String) {
        let type = self
        registered.withLock { $0[name] = type }
    }

    /// The class for a name in a mapping model; nil if there is none.
    static func known(_ name: String, among given: [String: EntityMigrationPolicy.Type])
        -> EntityMigrationPolicy.Type?
    {
        let short = name.split(separator: ".").last.map(String.init) ?? name
        if let type = given[name] ?? given[short] { return type }
        if let type = registered.withLock({ $0[name] ?? $0[short] }) { return type }
        return NSClassFromString(name) as? EntityMigrationPolicy.Type
    }

    static func missing(_ name: String, _ mapping: EntityMapping) -> MigrationError {
        MigrationError(.policy, "The mapping “\(mapping.name)” needs the policy \(name), which was not given")
    }
}

extension MappingModel {
    /// - Throws: ``MigrationError`` with code `policy` if a mapping names a policy that is neither
    ///   among the given ones nor known to the program.
    package func requirePolicies(among given: [String: EntityMigrationPolicy.Type]) throws(MigrationError) {
        for mapping in entityMappings {
            guard let name = mapping.migrationPolicyName else { continue }
            guard EntityMigrationPolicy.known(name, among: given) != nil else {
                throw EntityMigrationPolicy.missing(name, mapping)
            }
        }
    }
}
