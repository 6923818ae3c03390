internal import FileMigration
internal import DocumentFiles
internal import Foundation
internal import ObjectGraph
internal import Schema

/// Opens a document with the program's version of the model, after migrating a document of an older
/// version.
struct MigratingOpener<Document: PersistentDocument> {
    private let url: URL
    private let migrator: DocumentMigrator
    private let mode: PersistentDocument.Mode
    private let recovery: DocumentRecovery
    private let classes: [String: ManagedObject.Type]
    private let progress: Progress?

    init(
        _ url: URL, _ migrator: DocumentMigrator, _ mode: PersistentDocument.Mode, _ recovery: DocumentRecovery,
        _ classes: [String: ManagedObject.Type],
        _ progress: Progress?
    ) {
        self.url = url
        var migrator = migrator
        migrator.refusesUnknownVersions = true
        migrator.recovery = recovery == .discard ? .discard : .refuse
        self.migrator = migrator
        self.mode = mode
        self.recovery = recovery
        self.classes = classes
        self.progress = progress
    }

    func open(_ policy: MigrationPolicy) async throws -> Document {
        if let document = try await openWithoutMigration() { return document }
        let plan = try await preview()
        switch policy {
        case .refuse: throw refusal(plan, "not of the program's")
        case .ask(let question):
            guard try await question(plan) else { throw refusal(plan, "and its migration was declined") }
        case .automatic: break
        case .readingCopy: return try await openView()
        }
        if mode == .reading { return try await openView() }
        if recovery == .keep { try await saveRecoveredWork() }
        _ = try await migrator.run(progress) { try $0.migrate() }
        return try await openDocument()
    }

    private func openDocument() async throws -> Document {
        try await DocumentOpening.open(
            url, as: Document.self, mode: mode, recovery: recovery, classes: classes, fitting: migrator.sourceModel)
    }

    private func preview() async throws -> DocumentMigration { try await migrator.run(nil) { try $0.preview() } }

    private func refusal(_ plan: DocumentMigration, _ reason: String) -> DocumentError {
        DocumentError(
            .modelMismatch, "the document is of the version “\(plan.from ?? "unknown")” of the model, \(reason)",
            path: url.path, stage: .opening,
            hint: "migrate it first")
    }

    /// Opens the document if it has the program's version; returns nil otherwise.
    private func openWithoutMigration() async throws -> Document? {
        guard try DocumentInfo.currentManifest(of: url)?.model.digest == migrator.model.versionHashesDigest else {
            return try await preview().isNeeded ? nil : try await openDocument()
        }
        // The manifest may be older than the store, so the store decides.
        let document = try await openDocument()
        if migrator.model.isCompatible(withVersionHashes: document.model.versionHashesByEntityName) { return document }
        try await document.close()
        return nil
    }

    /// Opens a migrated copy of the document for reading.
    private func openView() async throws -> Document {
        let document = Document()
        let session = try await migrator.run(progress) { try SessionKeeper.holding($0.view()) }
        document.opened.begin(session, classes: classes)
        return document
    }

    /// Saves autosaved work, so that there is only one state to migrate.
    private func saveRecoveredWork() async throws {
        try await DocumentOpening.withDocument(
            at: url, mode: .editing, recovery: .keep, fitting: migrator.sourceModel
        ) { document in
            if document.hasAutosavedWork { try await document.save() }
        }
    }
}
