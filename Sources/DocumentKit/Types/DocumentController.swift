public import DocumentFiles
internal import FileMigration
internal import FileSystem
public import Foundation
internal import Schema

/// Manages the documents of an application: its types of documents, the open ones, the recent ones,
/// and those with work to recover.
///
/// ```swift
/// let controller = DocumentController(application: "example", types: [library])
/// for document in try controller.recoverableDocuments() where !document.isSkipped { try await controller.recover(document) }
/// let document = try await controller.open(url)
/// ```
/// A controller, like its documents, is not `Sendable`: use it in the isolation domain that created
/// it, in an editor the main actor.
open class DocumentController {
    /// The name of the application, which is part of the names of its state files.
    public let application: String
    /// The types of documents; the first one is that of new documents.
    public let types: [DocumentType]
    /// The open documents, in the order in which they were opened.
    public private(set) var documents: [PersistentDocument] = []
    private let recents: RecentDocuments
    private let untitled: UntitledDocuments
    /// The documents that are being opened, by path, with the calls that wait for them.
    private var openings: [String: [CheckedContinuation<Void, Never>]] = [:]

    /// Creates a controller.
    ///
    /// - Parameters:
    ///   - application: A name that is unique among applications, of letters, digits, `-` and `.`;
    ///     traps otherwise.
    ///   - types: The types of documents, the one of new documents first. Traps if empty.
    public init(application: String, types: [DocumentType]) {
        let isName = application.first.map { $0.isASCII && ($0.isLetter || $0.isNumber) } ?? false
        precondition(
            isName && application.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) },
            "“\(application)” can't be an application's name here: use letters, digits, - and .")
        precondition(!types.isEmpty, "An application has at least one type of documents")
        self.application = application
        self.types = types
        recents = RecentDocuments(application: application)
        untitled = UntitledDocuments(application: application)
    }

    // MARK: Opening

    /// Creates an untitled document. It is stored in the user's state folder and autosaved like any
    /// other, until it is saved with `save(as:)`.
    ///
    /// - Parameter type: The type of the document; nil for the first type.
    /// - Throws: The errors of
    ///   ``PersistentDocument/create(at:model:form:modelName:replacing:classes:)``.
    public func newDocument(of type: DocumentType? = nil) async throws -> PersistentDocument {
        let type = type ?? types[0]
        let path = try untitled.newPath(extension: type.extensions.first ?? "folio")
        let document = try await type.documentClass.create(
            at: URL(fileURLWithPath: path), model: type.model, modelName: type.modelName, classes: type.objectClasses)
        adopt(document, type)
        return document
    }

    /// Opens a document, or returns it if it is open already or being opened by another call.
    ///
    /// Its type is the one with the document's extension, otherwise the first type. A document of
    /// an older version of the model is treated by the type's migration policy.
    ///
    /// - Parameter recovery: The treatment of autosaved work of a former editor. If its recovery
    ///   has crashed the program twice, opening is refused.
    /// - Throws: The errors of `PersistentDocument.open`; `modelMismatch` if a document has to be
    ///   migrated and is not.
    public func open(_ url: URL, recovery: PersistentDocument.Recovery = .keep) async throws -> PersistentDocument {
        let path = LinkResolution.resolve(url.path)
        while openings[path] != nil { await withCheckedContinuation { openings[path]?.append($0) } }
        if let document = document(for: URL(fileURLWithPath: path)) { return document }
        openings[path] = []
        defer { for waiting in openings.removeValue(forKey: path) ?? [] { waiting.resume() } }
        let attempt = try beginRecovery(path, recovery)
        let type = types.first { $0.matches(fileName: FilePath.name(path)) } ?? types[0]
        let document: PersistentDocument
        do {
            document = try await open(URL(fileURLWithPath: path), type, recovery)
        } catch {
            // An error that is thrown has not crashed the program.
            try? attempt?.takeBack()
            throw error
        }
        if document.recovered != nil { document.opened.recoveryAttempt = attempt } else { try? attempt?.end() }
        adopt(document, type)
        if !document.isUntitled { noteRecentDocument(document.url, type: type.name) }
        return document
    }

    private func open(_ url: URL, _ type: DocumentType, _ recovery: PersistentDocument.Recovery) async throws
        -> PersistentDocument
    {
        let mode: PersistentDocument.Mode = type.role == .editor ? .editing : .reading
        do {
            return try await type.documentClass.open(
                url, mode: mode, model: type.model, recovery: recovery, classes: type.objectClasses)
        } catch let error as DocumentError where error.code == .modelMismatch {
            switch type.migration {
            case .refuse: throw error
            case .readingCopy: return try await migratedCopy(of: url, type)
            case .ask, .automatic, nil:
                guard mode == .editing else { return try await migratedCopy(of: url, type) }
                guard try await isMigrated(url, type) else { throw error }
                try await PersistentDocument.migrate(url, by: type.route())
                return try await type.documentClass.open(
                    url, mode: mode, model: type.model, recovery: recovery, classes: type.objectClasses)
            }
        }
    }

    /// Whether a document of an older version is migrated by the policy of its type.
    private func isMigrated(_ url: URL, _ type: DocumentType) async throws -> Bool {
        guard let policy = type.migration else { return await shouldMigrate(url, type) }
        guard case .ask(let question) = policy else { return true }
        return try await question(PersistentDocument.migrationPlan(of: url, by: type.route()))
    }

    /// Opens a migrated copy of a document for reading.
    private func migratedCopy(of url: URL, _ type: DocumentType) async throws -> PersistentDocument {
        let folder = try StateFolder.makeTemporary()
        do {
            let copy = URL(fileURLWithPath: FilePath.join(folder, FilePath.name(url.path)))
            try await DocumentOpening.withDocument(at: url) { try await $0.write(to: copy) }
            try await PersistentDocument.migrate(copy, by: type.route())
            let document = try await type.documentClass.open(
                copy, mode: .reading, model: type.model, classes: type.objectClasses)
            document.opened.scratchFolder = folder
            return document
        } catch {
            StateFolder.removeTemporary(folder)
            throw error
        }
    }

    /// Whether to migrate a document of an older version of the model, if its type has no
    /// ``DocumentType/migration`` policy. The default is false; override it, for example to ask the
    /// user.
    open func shouldMigrate(_ url: URL, _ type: DocumentType) async -> Bool { false }

    // MARK: Open documents

    /// The open document at a location; nil if there is none.
    public func document(for url: URL) -> PersistentDocument? {
        let path = LinkResolution.resolve(url.path)
        return documents.first { $0.isOpen && $0.state.path == path }
    }

    /// Whether any open document has unsaved work.
    public var hasUnsavedDocuments: Bool { documents.contains { $0.hasUnsavedChanges } }

    /// Closes all documents, one after the other. If one can't be closed, it and the documents
    /// after it stay open.
    ///
    /// - Throws: The errors of ``PersistentDocument/close(_:)``.
    public func closeAll(_ work: PersistentDocument.UnsavedWork) async throws {
        for document in documents { try await document.close(work) }
    }

    private func adopt(_ document: PersistentDocument, _ type: DocumentType) {
        document.type = type
        didOpen(document)
    }

    private func didOpen(_ document: PersistentDocument) {
        documents.append(document)
        document.duplicateHandler = { [weak self] copy in self?.didOpen(copy) }
        document.opened.moveHandler = { [weak self, unowned document] in self?.didMove(document) }
        document.opened.closeHandler = { [weak self, unowned document] in self?.documents.removeAll { $0 === document }
        }
    }

    /// Called when a document was moved, which may have given an untitled document its name.
    private func didMove(_ document: PersistentDocument) {
        noteRecentDocument(document.url, type: document.type?.name ?? types[0].name)
    }

    // MARK: Recent documents

    /// The documents that were opened recently, the last one first. They are read by each access,
    /// because instances of the application share them.
    public var recentDocuments: [RecentDocument] { recents.list() }

    /// Records that a document was opened. Errors are ignored.
    public func noteRecentDocument(_ url: URL, type: String) { try? recents.note(url, type: type) }

    /// Clears the list of recent documents.
    public func clearRecentDocuments() throws {
        try DocumentError.stage(.writing, recents.path) { try recents.clear() }
    }

    // MARK: Recovery

    /// The untitled documents of this application, and all archives, that contain unsaved work of
    /// former editors, the latest first. Only small files are read; no store is opened.
    public func recoverableDocuments() throws -> [RecoverableDocument] {
        try DocumentError.stage(.reading, StateFolder.documents) { try RecoverableDocument.list(untitled) }
    }

    /// Opens a document with its unsaved work.
    ///
    /// Recoveries that crash the program are counted. After two of them,
    /// ``RecoverableDocument/isSkipped`` is true, and the document is recovered only with `force`.
    ///
    /// - Throws: `DocumentError` with code `recoverable` if the document is skipped; the errors of
    ///   ``open(_:recovery:)``.
    @discardableResult
    public func recover(_ document: RecoverableDocument, force: Bool = false) async throws -> PersistentDocument {
        if force { try? RecoveryAttempts(uuid: document.uuid).end() }
        return try await open(document.url, recovery: .keep)
    }

    /// Discards the unsaved work: an untitled document is deleted, an archive stays in its last
    /// saved state.
    public func discard(_ document: RecoverableDocument) async throws {
        try? RecoveryAttempts(uuid: document.uuid).end()
        switch document.kind {
        case .untitled:
            let lock = try DocumentLock.acquire(document.url.path, document: document.uuid)
            defer { lock.release() }
            try DocumentError.stage(.writing, document.url.path) { try UntitledDocuments.remove(document.url.path) }
        case .archive:
            let open = try await PersistentDocument.open(document.url, recovery: .discard)
            try await open.close(discardingUnsavedWork: true)
        }
    }

    /// Counts a recovery that is about to begin; nil if there is nothing to recover.
    private func beginRecovery(_ path: String, _ recovery: PersistentDocument.Recovery) throws -> RecoveryAttempts? {
        guard recovery == .keep, let info = try? RecoverableDocument.leftWork(at: path), info.hasWork else {
            return nil
        }
        let attempts = RecoveryAttempts(uuid: info.uuid)
        guard attempts.count < RecoveryAttempts.limit else {
            throw DocumentError(
                .recoverable, "its recovery has come to no end twice", path: path, stage: .opening,
                hint: "open it without the work, or recover it all the same")
        }
        try DocumentError.stage(.opening, path) { try attempts.begin() }
        return attempts
    }
}
