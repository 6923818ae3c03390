public import Migration
public import ObjectGraph
public import Schema

extension PersistentDocument {
    /// How documents of former versions come to a program's own version of the model.
    public struct MigrationRoute: Sendable {
        /// The version that the program works with.
        public var model: ManagedObjectModel
        /// The name of that version; nil for its first version identifier.
        public var name: String?
        /// The former versions that the program knows, in any order. They are the ones that
        /// ``PersistentDocument/open(_:by:migration:mode:recovery:classes:progress:)`` migrates,
        /// serve to read stores that carry no model, and may stand in between where no single step
        /// leads to the new version.
        public var formerVersions: [ManagedObjectModel]
        /// Says how objects become those of the new version; nil where it is inferred.
        public var mapping: MappingModel?
        /// The policies that the mapping names, by name; a name without its module is enough.
        public var policies: [String: EntityMigrationPolicy.Type]
        /// The plan that the route was made from: its stages lead from version to version.
        public private(set) var plan: (any SchemaMigrationPlan.Type)?
        /// The classes of objects of the program's version, where a plan says them.
        public private(set) var classes: [String: ManagedObject.Type] = [:]

        public init(
            to model: ManagedObjectModel, named name: String? = nil, from formerVersions: [ManagedObjectModel] = [],
            by mapping: MappingModel? = nil,
            policies: [String: EntityMigrationPolicy.Type] = [:]
        ) {
            self.model = model
            self.name = name
            self.formerVersions = formerVersions
            self.mapping = mapping
            self.policies = policies
        }

        /// The way that a plan of versions describes, to its newest.
        ///
        /// ```swift
        /// let route = try PersistentDocument.MigrationRoute(by: LibraryPlan.self)
        /// let document = try await PersistentDocument.open(url, by: route, migration: .automatic)
        /// ```
        /// All stages run on a copy, off the caller, and it takes the place of the document's store
        /// when the last one is done: what a handler throws leaves the document as it was. Objects
        /// keep their numbers.
        /// - Throws: ``MigrationError`` for a plan that contradicts itself or has no version.
        public init(by plan: any SchemaMigrationPlan.Type) throws {
            let versions = try plan.migrationManager().versionClasses
            guard let newest = versions.last else {
                throw MigrationError(.invalidMapping, "The plan \(plan) names no version")
            }
            self.init(to: newest.version, from: versions.dropLast().map(\.version))
            self.plan = plan
            classes = newest.classes
        }
    }
}
