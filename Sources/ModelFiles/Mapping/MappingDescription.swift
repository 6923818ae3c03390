package import Foundation
package import Schema

/// A mapping model as a file says it; expressions and predicates are format text.
package struct MappingDescription: Sendable {
    package struct Property: Sendable, Hashable {
        /// The destination's property.
        package var name: String
        /// Nil where the file gives none.
        package var valueExpression: String?
        /// The file leaves the expression to the one who compiles it.
        package var isAutomatic = false
        /// What a relationship's automatic expression begins with, such as `$source.countries`.
        package var sourceKeyPath: String?
        /// The mapping whose objects a relationship's automatic expression asks for.
        package var sourceMappingName: String?
        package var userInfo: [String: String] = [:]
    }

    package struct Entity: Sendable, Hashable {
        package var name: String
        /// The number of the kind in compiled mapping models; 0 where the file doesn't say.
        package var kind = 0
        package var sourceName: String?
        package var destinationName: String?
        package var sourceHash: Data?
        package var destinationHash: Data?
        package var policyClassName: String?
        /// Which objects are migrated; nil for all.
        package var sourcePredicate: String?
        package var attributes: [Property] = []
        package var relationships: [Property] = []
        package var userInfo: [String: String] = [:]
    }

    /// In the order in which they run.
    package var entities: [Entity] = []
    /// The versions that the file was made for, where it holds them.
    package var source: ManagedObjectModel?
    package var destination: ManagedObjectModel?
}
