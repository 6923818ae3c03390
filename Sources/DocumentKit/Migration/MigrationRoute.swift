public import Migration
public import ObjectGraph
public import Schema

extension PersistentDocument {
    /// Describes how documents of older versions are migrated to the program's version of the
    /// model.
    public struct MigrationRoute: Sendable {
        /// The program's version of the model.
        public var model: ManagedObjectModel
        /// The name of that version; nil for its first version identifier.
        public var name: String?
        /// The older versions that the program knows, in any order. Documents of these versions are
        /// migrated by ``PersistentDocument/open(_:by:migration:mode:recovery:classes:progress:)``.
        /// They are used to read stores that contain no model, and as intermediate versions if no
        /// single step leads to the new version.
        public var formerVersions: [ManagedObjectModel]
        /// The mapping models. Each step, also one between two older versions, takes the one that
        /// is for its versions; a step without one is inferred. See <doc:MigrationAndLosses>.
        public var mappings: [MappingModel]
        /// The classes of the policies that mappings name, besides those that are registered.
        public var policies: [String: EntityMigrationPolicy.Type]
        /// The migration plan from which the route was created.
        public private(set) var plan: (any SchemaMigrationPlan.Type)?
        /// The classes of objects in the program's version, if a plan declares them.
        public private(set) var classes: [String: ManagedObject.Type] = [:]

        /// Creates a route to a version of the model.
        public init(
            to model: ManagedObjectModel, named name: String? = nil, from formerVersions: [ManagedObjectModel] = [],
            by mapping: MappingModel? = nil, mappings: [MappingModel] = [],
            policies: [String: EntityMigrationPolicy.Type] = [:]
        ) {
            self.model = model
            self.name = name
            self.formerVersions = formerVersions
            self.mappings = (mapping.map { [$0] } ?? []) + mappings
            self.policies = policies
        }

        /// Creates a route to the newest version of a migration plan.
        ///
        /// ```swift
        /// let route = try PersistentDocument.MigrationRoute(by: LibraryPlan.self)
        /// let document = try await PersistentDocument.open(url, by: route, migration: .automatic)
        /// ```
        /// All stages run on a copy, outside of the caller's isolation domain. The copy replaces
        /// the store of the document after the last stage, so an error of a handler leaves the
        /// document unchanged. Objects keep their primary keys.
        ///
        /// - Throws: ``MigrationError`` for a plan that is inconsistent or has no version.
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
