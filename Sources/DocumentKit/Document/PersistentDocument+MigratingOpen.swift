public import DocumentFiles
public import Foundation
public import ObjectGraph
internal import Schema
internal import Storage

extension PersistentDocument {
    /// What is done about a document of a former version when it is opened.
    public enum MigrationPolicy {
        /// Opening fails with `DocumentError.modelMismatch`.
        case fail
        /// The document is migrated; the old state is kept.
        case automatic
        /// As `automatic`, once somebody has agreed to what would be done; otherwise as `fail`.
        case ask((DocumentMigration) async throws -> Bool)
        /// The document is opened for reading, as it would be after its migration, which is done on a copy in a temporary folder. Nothing is written to the document.
        case readOnlyView
    }

    /// Opens a document with a program's own version of the model, migrating one of a former version first.
    ///
    /// ```swift
    /// let route = PersistentDocument.MigrationRoute(to: v3, from: [v1, v2])
    /// let document = try await PersistentDocument.open(url, by: route, migration: .ask { plan in await confirm(plan.steps) })
    /// ```
    /// Opening for reading migrates nothing: where the policy would migrate, the document is shown as by `readOnlyView`. What the store says of its version decides; a manifest that
    /// names the program's version spares looking.
    /// - Parameters:
    ///   - classes: The classes of objects; those of the route's plan where none are given.
    ///   - recovery: What becomes of autosaved work that an editor which is gone left. Work that is kept is saved before the migration, which needs it to be valid.
    ///   - progress: Told how far the migration has come; cancelling it leaves the document as it was.
    /// - Throws: what `open` and `migrate` throw; `DocumentError` `newer`, naming both versions and the older state that was kept, for a document of a version that the route does
    ///   not know or that was migrated from the program's version.
    public static func open(
        _ url: URL, by route: MigrationRoute, migration policy: MigrationPolicy, mode: Mode = .editing, recovery: Recovery = .refuse,
        classes: [String: ManagedObject.Type] = [:], progress: Progress? = nil
    ) async throws -> Self {
        let classes = classes.isEmpty ? route.classes : classes
        var migrator = route.migrator(url)
        migrator.refusesUnknownVersions = true
        migrator.backupLabel = { _ in nil }
        if let document = try await openWithoutMigration(url, migrator, mode, recovery, classes) { return document }
        let plan = try await run(migrator, nil) { try $0.preview() }
        func refusal(_ reason: String) -> DocumentError {
            DocumentError(
                .modelMismatch, "the document is of the version “\(plan.from ?? "unknown")” of the model, \(reason)", path: url.path, stage: .opening, hint: "migrate it first")
        }
        switch policy {
        case .fail: throw refusal("not of the program's")
        case .ask(let question):
            guard try await question(plan) else { throw refusal("and its migration was declined") }
        case .automatic, .readOnlyView: break
        }
        var isView = mode == .reading
        if case .readOnlyView = policy { isView = true }
        if isView { return try await openView(migrator, classes, progress) }
        if recovery == .keep { try await saveRecoveredWork(url, migrator) }
        migrator.recovery = recovery == .discard ? .discard : .refuse
        _ = try await run(migrator, progress) { try $0.migrate() }
        return try await open(url, mode: mode, recovery: recovery, classes: classes, fitting: migrator.sourceModel)
    }

    /// Opens the document if it is of the program's version; answers nil if it is not.
    private static func openWithoutMigration(
        _ url: URL, _ migrator: DocumentMigrator, _ mode: Mode, _ recovery: Recovery, _ classes: [String: ManagedObject.Type]
    ) async throws -> Self? {
        let digest = migrator.model.versionHashesDigest
        guard try DocumentInfo.currentManifest(of: url)?.model.digest == digest else {
            let plan = try await run(migrator, nil) { try $0.preview() }
            return plan.isNeeded ? nil : try await open(url, mode: mode, recovery: recovery, classes: classes, fitting: migrator.sourceModel)
        }
        // A manifest may be behind its store.
        let document = try await open(url, mode: mode, recovery: recovery, classes: classes, fitting: migrator.sourceModel)
        if migrator.model.isCompatible(withVersionHashes: document.model.versionHashesByEntityName) { return document }
        try await document.close()
        return nil
    }

    private static func openView(_ migrator: DocumentMigrator, _ classes: [String: ManagedObject.Type], _ progress: Progress?) async throws -> Self {
        let document = Self()
        let session = try await run(migrator, progress) { migrator -> SessionKeeper.Opened in
            let session = try migrator.view()
            let state = SessionState(session)
            return (SessionKeeper(session, StoreConfiguration.current), state)
        }
        document.opened.begin(session, classes: classes)
        return document
    }

    /// Makes autosaved work the saved state, so that there is one state to migrate.
    private static func saveRecoveredWork(_ url: URL, _ migrator: DocumentMigrator) async throws {
        let document = try await PersistentDocument.open(url, mode: .editing, recovery: .keep, fitting: migrator.sourceModel)
        do {
            if document.hasAutosavedWork { try await document.save() }
            try await document.close()
        } catch {
            try? await document.close()
            throw error
        }
    }

    /// Makes a new document of the newest version of the class's own plan, ``migrationPlan``, and opens it for editing.
    /// - Parameter replacing: Whether a document that is there already is replaced, in one step.
    /// - Throws: as `create(at:model:…)`; `DocumentError` `usage` where the class has no plan; ``MigrationError`` for a plan that contradicts itself.
    public static func create(at url: URL, form: DocumentForm = .package, replacing: Bool = false) async throws -> Self {
        guard let plan = migrationPlan else {
            throw DocumentError(.usage, "\(self) has no plan of versions: give the model", path: url.path)
        }
        let route = try MigrationRoute(by: plan)
        return try await create(at: url, model: route.model, form: form, replacing: replacing, classes: route.classes)
    }
}
