package import Foundation
package import Schema

/// The content of a mapping model file. Expressions and predicates are format text.
package struct MappingDescription: Sendable {
    package struct Property: Sendable, Hashable {
        /// The name of the property in the destination.
        package var name: String
        /// Nil if the file has none.
        package var valueExpression: String?
        /// Whether the expression is created when the mapping model is compiled.
        package var isAutomatic = false
        /// The key path with which a relationship's automatic expression begins, such as
        /// `$source.countries`.
        package var sourceKeyPath: String?
        /// The name of the mapping whose objects a relationship's automatic expression requests.
        package var sourceMappingName: String?
        package var userInfo: [String: String] = [:]
    }

    package struct Entity: Sendable, Hashable {
        package var name: String
        /// The mapping type in compiled mapping models; 0 if the file does not specify it.
        package var kind = 0
        package var sourceName: String?
        package var destinationName: String?
        package var sourceHash: Data?
        package var destinationHash: Data?
        package var policyClassName: String?
        /// The predicate that selects the objects to migrate; nil for all.
        package var sourcePredicate: String?
        package var attributes: [Property] = []
        package var relationships: [Property] = []
        package var userInfo: [String: String] = [:]
    }

    /// In the order of execution.
    package var entities: [Entity] = []
    /// The source and destination models, if the file contains them.
    package var source: ManagedObjectModel?
    package var destination: ManagedObjectModel?
}
