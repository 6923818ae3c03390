import ObjectGraph
import Schema

/// All versions of a schema, and the migrations between them.
///
/// ```swift
/// enum LibraryPlan: SchemaMigrationPlan {
///     static var schemas: [any VersionedSchema.Type] { [LibraryV1.self, LibraryV2.self] }
///     static var stages: [MigrationStage] {
///         [.custom(fromVersion: LibraryV1.self, toVersion: LibraryV2.self, willMigrate: nil) { context in
///             for book in try context.fetch(LibraryV2.Book.self) { book.length = book.title.count }
///             try context.save()
///         }]
///     }
/// }
/// let container = try PersistentContainer(name: "Library", migrationPlan: LibraryPlan.self)
/// ```
public protocol SchemaMigrationPlan: SendableMetatype {
    /// The versions, the oldest first.
    static var schemas: [any VersionedSchema.Type] { get }
    /// The custom stages, in the order of the versions. Steps between versions without a stage are
    /// inferred.
    static var stages: [MigrationStage] { get }
}

extension SchemaMigrationPlan {
    /// Creates the manager that executes the plan.
    ///
    /// - Throws: ``MigrationError`` with code `invalidMapping` if versions are not in ascending
    ///   order, if the classes of a version don't form a valid model, or if stages don't fit the
    ///   versions; `notInferable` for a step that can't be inferred.
    public static func migrationManager() throws(MigrationError) -> StagedMigrationManager {
        var versions: [ManagedObjectModel] = []
        for schema in schemas {
            do { versions.append(try schema.model()) } catch {
                throw MigrationError(
                    .invalidMapping, "The version \(schema.versionIdentifier) is no model: \(error)", underlying: error)
            }
        }
        for (old, new) in zip(schemas, schemas.dropFirst()) where old.versionIdentifier >= new.versionIdentifier {
            throw MigrationError(
                .invalidMapping,
                "The version \(new.versionIdentifier) does not follow \(old.versionIdentifier): the oldest stands first"
            )
        }
        var manager = try StagedMigrationManager(completed(by: versions))
        manager.versionClasses = zip(versions, schemas).map { (version: $0, classes: $1.classes) }
        return manager
    }

    /// The stages, including those that are inferred.
    private static func completed(by versions: [ManagedObjectModel]) throws(MigrationError) -> [MigrationStage] {
        var completed: [MigrationStage] = []
        var reached = 0
        func infer(upTo place: Int) {
            guard reached < place else { return }
            completed.append(
                .lightweight(
                    "\(schemas[reached].versionIdentifier) → \(schemas[place].versionIdentifier)",
                    Array(versions[reached...place])))
            reached = place
        }
        for stage in stages {
            guard let first = stage.versions.first, let last = stage.versions.last,
                let start = place(of: first, in: versions), let end = place(of: last, in: versions),
                start >= reached, end >= start
            else {
                throw MigrationError(
                    .invalidMapping,
                    "The stage “\(stage.name)” does not lead from one version of the plan to a later one")
            }
            infer(upTo: start)
            completed.append(stage)
            reached = end
        }
        infer(upTo: versions.count - 1)
        return completed.isEmpty && !versions.isEmpty
            ? [.lightweight("\(schemas[0].versionIdentifier)", [versions[0]])] : completed
    }

    private static func place(of model: ManagedObjectModel, in versions: [ManagedObjectModel]) -> Int? {
        versions.firstIndex { $0.isCompatible(withVersionHashes: model.versionHashesByEntityName) }
    }
}
