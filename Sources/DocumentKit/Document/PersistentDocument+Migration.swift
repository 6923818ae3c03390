internal import DocumentFiles
public import Foundation
public import Migration
public import ObjectGraph
public import Schema
internal import Storage

extension PersistentDocument {
    /// How documents of former versions come to a program's own version of the model.
    public struct MigrationRoute: Sendable {
        /// The version that the program works with.
        public var model: ManagedObjectModel
        /// The name of that version; nil for its first version identifier.
        public var name: String?
        /// The former versions that the program knows, in any order. They are the ones that ``PersistentDocument/open(_:by:migration:mode:recovery:classes:progress:)`` migrates,
        /// serve to read stores that carry no model, and may stand in between where no single step leads to the new version.
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
            to model: ManagedObjectModel, named name: String? = nil, from formerVersions: [ManagedObjectModel] = [], by mapping: MappingModel? = nil,
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
        /// All stages run on a copy, off the caller, and it takes the place of the document's store when the last one is done: what a handler throws leaves the document as it was.
        /// Objects keep their numbers.
        /// - Throws: ``MigrationError`` for a plan that contradicts itself or has no version.
        public init(by plan: any SchemaMigrationPlan.Type) throws {
            let versions = try plan.migrationManager().versionClasses
            guard let newest = versions.last else { throw MigrationError(.invalidMapping, "The plan \(plan) names no version") }
            self.init(to: newest.version, from: versions.dropLast().map(\.version))
            self.plan = plan
            classes = newest.classes
        }

        func migrator(_ url: URL) -> DocumentMigrator {
            var migrator = DocumentMigrator(path: LinkResolution.resolve(url.path), model: model)
            migrator.modelName = name
            migrator.versions = formerVersions
            migrator.mapping = mapping
            migrator.plan = plan
            migrator.policies = policies
            migrator.sourceModel = { [versions = [model] + formerVersions] hashes in versions.first { $0.isCompatible(withVersionHashes: hashes) } }
            return migrator
        }
    }

    /// Brings a document that nobody has open to another version of its model. The old state is kept: a package as a version, everything else as a copy beside it.
    ///
    /// ```swift
    /// try await PersistentDocument.migrate(url, to: newModel)
    /// ```
    /// - Parameters:
    ///   - name: The name of the version; nil for its first version identifier.
    ///   - versions: Versions that may stand between the document's and the new one.
    ///   - progress: Told how far it has come; cancelling it leaves the document as it was.
    /// - Throws: `MigrationError` where no way leads to the new version; `DocumentError`, `recoverable` where there is work that was never saved, `newer` where the document was migrated
    ///   from this version already, `io` where there is not enough room; `StorageError` for objects that the new version does not allow, and with code `cancelled`.
    public static func migrate(
        _ url: URL, to model: ManagedObjectModel, named name: String? = nil, through versions: [ManagedObjectModel] = [], progress: Progress? = nil
    ) async throws {
        try await migrate(url, by: MigrationRoute(to: model, named: name, from: versions), progress: progress)
    }

    /// Brings a document that nobody has open to the version that a route leads to, as ``migrate(_:to:named:through:progress:)`` does.
    ///
    /// A mapping that only renames, leaves out or splits is carried out by the store itself; others make the objects anew, with new numbers.
    /// - Returns: what was done.
    @discardableResult
    public static func migrate(_ url: URL, by route: MigrationRoute, progress: Progress? = nil) async throws -> DocumentMigration {
        var migrator = route.migrator(url)
        migrator.backupLabel = { _ in nil }
        return try await run(migrator, progress) { try $0.migrate() }
    }

    /// Writes a document as it is after its migration to another place, where nothing is yet. The document itself, which may be one that can't be written, stays as it is.
    ///
    /// The new document has the form of the old one and is one of its own, as after ``write(to:form:replacing:includingVersions:includingHistory:)``.
    /// - Throws: as `migrate(_:by:progress:)`, and `cannotCreate` where something is there already. After an error there is nothing at the new place.
    @discardableResult
    public static func migrate(_ url: URL, by route: MigrationRoute, into target: URL, progress: Progress? = nil) async throws -> DocumentMigration {
        let migrator = route.migrator(url)
        _ = try await run(migrator, nil) { try $0.preview() }
        let document = try await PersistentDocument.open(url, mode: .reading, fitting: migrator.sourceModel)
        do {
            try await document.write(to: target, progress: progress)
            try await document.close()
        } catch {
            try? await document.close()
            throw error
        }
        do {
            return try await run(migrator.with(path: LinkResolution.resolve(target.path)), progress) { try $0.migrate() }
        } catch {
            try? FileManager.default.removeItem(at: target)
            throw error
        }
    }

    /// What ``migrate(_:by:progress:)`` would do, and what it would take. Nothing is written.
    public static func migrationPlan(of url: URL, by route: MigrationRoute) async throws -> DocumentMigration {
        var migrator = route.migrator(url)
        migrator.backupLabel = { _ in nil }
        return try await run(migrator, nil) { try $0.preview() }
    }

    /// Runs off the caller; cancelling `progress` or the task cancels the migration.
    @concurrent
    static func run<Result: Sendable>(
        _ migrator: DocumentMigrator, _ progress: Progress?, _ body: @Sendable (DocumentMigrator) throws -> Result
    ) async throws -> Result {
        let report = MigrationProgress { state in
            progress?.totalUnitCount = max(1, state.total)
            progress?.completedUnitCount = state.completed
        }
        progress?.cancellationHandler = { report.cancel() }
        if progress?.isCancelled == true { report.cancel() }
        defer { progress?.cancellationHandler = nil }
        var migrator = migrator
        migrator.progress = report
        let ready = migrator
        return try await withTaskCancellationHandler {
            try body(ready)
        } onCancel: {
            report.cancel()
        }
    }
}
