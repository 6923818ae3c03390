public import DocumentFiles
public import Foundation
public import ObjectGraph
public import Schema

extension PersistentDocument {
    /// What is done about a document of a former version when it is opened.
    public enum MigrationPolicy {
        /// Opening fails with `DocumentError.modelMismatch`.
        case fail
        /// The document is migrated; the old state is kept.
        case automatic
        /// As `automatic`, once somebody has agreed to what would be done; otherwise as `fail`.
        case ask((DocumentMigration) async throws -> Bool)
        /// The document is opened for reading, as it would be after its migration, which is done on
        /// a copy in a temporary folder. Nothing is written to the document.
        case readOnlyView
    }

    /// Opens a document with a program's own version of the model, migrating one of a former
    /// version first.
    ///
    /// ```swift
    /// let route = PersistentDocument.MigrationRoute(to: v3, from: [v1, v2])
    /// let document = try await PersistentDocument.open(url, by: route, migration: .ask { plan in await confirm(plan.steps) })
    /// ```
    /// Opening for reading migrates nothing: where the policy would migrate, the document is shown
    /// as by `readOnlyView`. What the store says of its version decides; a manifest that names the
    /// program's version spares looking.
    /// - Parameters:
    ///   - classes: The classes of objects; those of the route's plan where none are given.
    ///   - recovery: What becomes of autosaved work that an editor which is gone left. Work that is
    ///     kept is saved before the migration, which needs it to be valid.
    ///   - progress: Told how far the migration has come; cancelling it leaves the document as it
    ///     was.
    /// - Throws: what `open` and `migrate` throw; `DocumentError` `newer`, naming both versions and
    ///   the older state that was kept, for a document of a version that the route does not know or
    ///   that was migrated from the program's version.
    public static func open(
        _ url: URL, by route: MigrationRoute, migration policy: MigrationPolicy, mode: Mode = .editing,
        recovery: Recovery = .refuse,
        classes: [String: ManagedObject.Type] = [:], progress: Progress? = nil
    ) async throws -> Self {
        try await MigratingOpener<Self>(
            url, route.migrator(url), mode, recovery, classes.isEmpty ? route.classes : classes, progress
        ).open(policy)
    }

    /// Brings a document that nobody has open to another version of its model. The old state is
    /// kept: a package as a version, everything else as a copy beside it.
    ///
    /// ```swift
    /// try await PersistentDocument.migrate(url, to: newModel)
    /// ```
    /// - Parameters:
    ///   - name: The name of the version; nil for its first version identifier.
    ///   - versions: Versions that may stand between the document's and the new one.
    ///   - progress: Told how far it has come; cancelling it leaves the document as it was.
    /// - Throws: `MigrationError` where no way leads to the new version; `DocumentError`,
    ///   `recoverable` where there is work that was never saved, `newer` where the document was
    ///   migrated from this version already, `io` where there is not enough room; `StorageError`
    ///   for objects that the new version does not allow, and with code `cancelled`.
    public static func migrate(
        _ url: URL, to model: ManagedObjectModel, named name: String? = nil,
        through versions: [ManagedObjectModel] = [], progress: Progress? = nil
    ) async throws {
        try await migrate(url, by: MigrationRoute(to: model, named: name, from: versions), progress: progress)
    }

    /// Brings a document that nobody has open to the version that a route leads to, as
    /// ``migrate(_:to:named:through:progress:)`` does.
    ///
    /// A mapping that only renames, leaves out or splits is carried out by the store itself; others
    /// make the objects anew, with new numbers.
    /// - Returns: what was done.
    @discardableResult
    public static func migrate(_ url: URL, by route: MigrationRoute, progress: Progress? = nil) async throws
        -> DocumentMigration
    {
        try await route.migrator(url).run(progress) { try $0.migrate() }
    }

    /// Writes a document as it is after its migration to another place, where nothing is yet. The
    /// document itself, which may be one that can't be written, stays as it is.
    ///
    /// The new document has the form of the old one and is one of its own, as after
    /// ``write(to:form:replacing:includingVersions:includingHistory:)``.
    /// - Throws: as `migrate(_:by:progress:)`, and `cannotCreate` where something is there already.
    ///   After an error there is nothing at the new place.
    @discardableResult
    public static func migrate(_ url: URL, by route: MigrationRoute, into target: URL, progress: Progress? = nil)
        async throws -> DocumentMigration
    {
        let migrator = route.migrator(url, keepsOld: false)
        _ = try await migrator.run(nil) { try $0.preview() }
        try await PersistentDocument.withDocument(at: url, fitting: migrator.sourceModel) {
            try await $0.write(to: target, progress: progress)
        }
        do {
            return try await migrator.with(path: LinkResolution.resolve(target.path)).run(progress) { try $0.migrate() }
        } catch {
            try? FileManager.default.removeItem(at: target)
            throw error
        }
    }

    /// What ``migrate(_:by:progress:)`` would do, and what it would take. Nothing is written.
    public static func migrationPlan(of url: URL, by route: MigrationRoute) async throws -> DocumentMigration {
        try await route.migrator(url).run(nil) { try $0.preview() }
    }

    /// Makes a new document of the newest version of the class's own plan, ``migrationPlan``, and
    /// opens it for editing.
    /// - Parameter replacing: Whether a document that is there already is replaced, in one step.
    /// - Throws: as `create(at:model:…)`; `DocumentError` `usage` where the class has no plan;
    ///   ``MigrationError`` for a plan that contradicts itself.
    public static func create(at url: URL, form: DocumentForm = .package, replacing: Bool = false) async throws -> Self
    {
        guard let plan = migrationPlan else {
            throw DocumentError(.usage, "\(self) has no plan of versions: give the model", path: url.path)
        }
        let route = try MigrationRoute(by: plan)
        return try await create(at: url, model: route.model, form: form, replacing: replacing, classes: route.classes)
    }
}
