public import FileMigration
public import DocumentFiles
public import Foundation
public import ObjectGraph
public import Schema

extension PersistentDocument {
    /// Opens a document with a program's version of the model, after migrating a document of an
    /// older version.
    ///
    /// ```swift
    /// let route = PersistentDocument.MigrationRoute(to: v3, from: [v1, v2])
    /// let document = try await PersistentDocument.open(url, by: route, migration: .ask { plan in await confirm(plan.steps) })
    /// ```
    /// In reading mode nothing is migrated in place: the document is shown as with
    /// ``MigrationPolicy/readingCopy``. The version is determined by the store, or by the manifest
    /// if that names the program's version.
    ///
    /// - Parameters:
    ///   - classes: The classes of objects; if empty, those of the route's plan.
    ///   - recovery: The treatment of autosaved work of a former editor. Kept work is saved before
    ///     the migration, so it must be valid.
    ///   - progress: Receives the progress of the migration. Cancelling it leaves the document
    ///     unchanged.
    /// - Throws: The errors of `open` and `migrate`; `DocumentError` with code `newer`, naming both
    ///   versions and the old state that was kept, for a document of a version that the route does
    ///   not contain, or one that was migrated from the program's version.
    public static func open(
        _ url: URL, by route: MigrationRoute, migration policy: MigrationPolicy, mode: Mode = .editing,
        recovery: Recovery = .refuse,
        classes: [String: ManagedObject.Type] = [:], progress: Progress? = nil
    ) async throws -> Self {
        try await MigratingOpener<Self>(
            url, DocumentMigrator(url, by: route), mode, recovery, classes.isEmpty ? route.classes : classes, progress
        ).open(policy)
    }

    /// Migrates a document that is not open to another version of its model. The old state is kept:
    /// as a version in a package, otherwise as a copy beside the document.
    ///
    /// ```swift
    /// try await PersistentDocument.migrate(url, to: newModel)
    /// ```
    /// - Parameters:
    ///   - name: The name of the new version; nil for its first version identifier.
    ///   - versions: Possible intermediate versions.
    ///   - progress: Receives the progress. Cancelling it leaves the document unchanged.
    /// - Throws: `MigrationError` if no migration leads to the new version; `DocumentError`:
    ///   `recoverable` if there is work that was never saved, `newer` if the document was migrated
    ///   from this version before, `inputOutput` if the disk space is not sufficient;
    ///   `StorageError` for objects that the new version does not allow, and with code `cancelled`.
    public static func migrate(
        _ url: URL, to model: ManagedObjectModel, named name: String? = nil,
        through versions: [ManagedObjectModel] = [], progress: Progress? = nil
    ) async throws {
        try await migrate(url, by: MigrationRoute(to: model, named: name, from: versions), progress: progress)
    }

    /// Migrates a document that is not open by a route, as
    /// ``migrate(_:to:named:through:progress:)`` does.
    ///
    /// A mapping that only renames, drops or splits is executed by the store. Others create new
    /// objects with new primary keys.
    ///
    /// - Returns: A report of the migration.
    @discardableResult
    public static func migrate(_ url: URL, by route: MigrationRoute, progress: Progress? = nil) async throws
        -> DocumentMigration
    {
        try await DocumentMigrator(url, by: route).run(progress) { try $0.migrate() }
    }

    /// Writes a migrated copy of a document to another location, where nothing exists. The document
    /// itself is unchanged and need not be writable.
    ///
    /// The copy has the same form and is a document of its own, as with
    /// ``write(to:form:replacing:includingVersions:includingHistory:)``.
    ///
    /// - Throws: The errors of ``migrate(_:by:progress:)``, and `cannotCreate` if something exists
    ///   at the location. After an error there is no copy.
    @discardableResult
    public static func migrate(_ url: URL, by route: MigrationRoute, into target: URL, progress: Progress? = nil)
        async throws -> DocumentMigration
    {
        try await DocumentMigrator(url, by: route, keepsOld: false).migrateCopy(at: target, progress)
    }

    /// A preview of ``migrate(_:by:progress:)`` and its cost. Nothing is written.
    ///
    /// - Throws: The errors with which the migration would refuse the document: that it can't be
    ///   inferred, that objects break what the new version demands, that there is no room. Policies
    ///   and handlers are not run.
    public static func migrationPlan(of url: URL, by route: MigrationRoute) async throws -> DocumentMigration {
        try await DocumentMigrator(url, by: route, keepsOld: true, migratesCopy: true).run(nil) { try $0.rehearse() }
    }

    /// Creates a document in the newest version of the class's ``migrationPlan`` and opens it for
    /// editing.
    ///
    /// - Parameter replacing: Whether an existing document is replaced, atomically.
    /// - Throws: The errors of ``create(at:model:form:modelName:replacing:classes:)``;
    ///   `DocumentError` with code `usage` if the class has no plan; ``MigrationError`` for an
    ///   inconsistent plan.
    public static func create(at url: URL, form: DocumentForm = .package, replacing: Bool = false) async throws -> Self
    {
        guard let plan = migrationPlan else {
            throw DocumentError(.usage, "\(self) has no plan of versions: give the model", path: url.path)
        }
        let route = try MigrationRoute(by: plan)
        return try await create(at: url, model: route.model, form: form, replacing: replacing, classes: route.classes)
    }
}
