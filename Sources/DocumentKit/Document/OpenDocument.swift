internal import Merging
internal import DocumentFiles
internal import Foundation
internal import ObjectGraph
internal import Query
internal import Schema
internal import Storage

/// The state of an open document: its session, its context, and the status of its edits.
///
/// It belongs to the actor that owns the document. The types that save, copy, move and close a
/// document work on this object. It can't be reopened after it was closed.
final class OpenDocument {
    private var keeper: SessionKeeper?
    private var openState: SessionState?
    private var formerIdentity: Identity?
    private var openContext: ManagedObjectContext?
    private(set) var objectClasses: [String: ManagedObject.Type] = [:]
    var edits = EditStatus()
    /// A change by another program that is not resolved yet.
    var outsideChange: OutsideChange?
    var background: BackgroundTasks?
    var recoveryAttempt: RecoveryAttempts?
    /// A temporary folder that is deleted when the document is closed.
    var scratchFolder: String?
    /// What the document notes of merges, where this session has changed that.
    var mergeMemory: MergeMemory?
    var isMergeMemoryUnsaved = false
    /// The conflicts that the last save wrote, where `mergeMemory` is not nil.
    var savedConflicts: Set<KeptConflict> = []
    /// A folder with large values of merged documents, which goes when the document is closed.
    var mergeFolder: String?
    /// Called when the document was moved, and when it was closed.
    var moveHandler: (() -> Void)?
    var closeHandler: (() -> Void)?

    /// What identifies a document, and stays known after it was closed.
    struct Identity {
        let path: String
        let kind: DocumentKind
        let uuid: String
        let isEditing: Bool

        init(_ state: SessionState) {
            path = state.path
            kind = state.kind
            uuid = state.uuid
            isEditing = state.isEditing
        }
    }

    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    deinit { background?.stop() }

    /// Runs an operation exclusively: after all operations that were called earlier, and before
    /// those that are called later.
    func exclusively<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        if isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
        defer { if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() } }
        return try await body()
    }

    // MARK: State

    var isOpen: Bool { openState != nil }
    var path: String? { openState?.path }
    /// What identifies the document. After it was closed, as it was then.
    var identity: Identity { openState.map { Identity($0) } ?? formerIdentity ?? Identity(state) }
    var isUntitled: Bool { UntitledDocuments.contains(state.path) }

    var context: ManagedObjectContext {
        guard let openContext else { preconditionFailure("The document is closed: use its context before closing it") }
        return openContext
    }

    /// The session's state after its last operation.
    var state: SessionState {
        guard let openState else { preconditionFailure("The document is closed: open it before using it") }
        return openState
    }

    /// The state for an operation that reads. Throws if the document is closed.
    func openedState() throws -> SessionState {
        guard let openState else { throw DocumentError(.usage, "the document is closed") }
        return openState
    }

    /// The state for an operation that writes. Throws if the document is closed or open for
    /// reading.
    func editingState() throws -> SessionState {
        let openState = try openedState()
        guard openState.isEditing else {
            throw DocumentError(
                .usage, "the document is open for reading only", path: openState.path,
                underlying: StorageError(.readOnly, "The document is open for reading only", path: openState.path))
        }
        return openState
    }

    // MARK: Edits

    var hasUnsavedChanges: Bool { isOpen && edits.isUnsaved(at: context.edits.position) }

    func noteChange() {
        edits.didNoteChange()
        context.edits.noteUnrecordedEdit()
        background?.noteChange()
    }

    func giveUpEdits() {
        context.rollback()
        context.undoManager?.removeAllActions()
    }

    /// Refreshes the objects after the session has read its files again. Only autosaved work is
    /// unsaved then.
    func showReadState() {
        forgetMerges()
        context.merging.forgetMissingObjects()
        context.refreshAllObjects()
        context.merging.noteOtherObjects()
        context.processPendingChanges()
        adoptPendingValues()
        edits.didRead(state, at: context.edits.position)
    }

    /// Applies the noted values that violate uniqueness constraints, and so are missing in the
    /// store's rows, to the objects again.
    private func adoptPendingValues() {
        guard state.isEditing else { return }
        // Values that can't be read now stay noted in the store, and the next opening applies them.
        try? context.deferral.takeUp(state.pendingUniqueValues)
    }

    /// Validates all objects of the document if an autosave of this session or an earlier one left
    /// some unvalidated, and reports the denied deletions again.
    func validateUncheckedObjects() throws {
        guard state.marker?.isUnchecked == true else { return }
        context.processPendingChanges()
        var failures = try edits.deniedDeletions.filter { try $0.isStanding(in: context) }.flatMap(\.failures)
        for entity in state.model.entities where entity.superentity == nil {
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name)) {
                do { try object.validateForUpdate() } catch {
                    guard let read = ValidationError(reading: error) else { throw error }
                    failures += read.failures
                }
            }
        }
        if !failures.isEmpty { throw ValidationError(failures) }
    }

    func endRecoveryAttempt() {
        // If the counter can't be removed, a later recovery may be skipped; nothing is lost.
        try? recoveryAttempt?.end()
        recoveryAttempt = nil
    }

    // MARK: The session

    /// The error for saves that bypass the document. Such a commit would be neither a save nor an
    /// autosave, and an archive would lose it.
    private static func refusal(of write: PersistentStoreCoordinator.Write) -> DocumentError {
        switch write {
        case .save:
            DocumentError(
                .usage, "a context does not save the objects of a document: the document does, or autosaves them",
                hint: "call the document's save(); elsewhere, work in a child of its context")
        case .batchRequest:
            DocumentError(
                .usage,
                "a batch request can't be executed in the context of a document: only the document changes its store",
                hint: "change the objects in the context, and call the document's save()")
        }
    }

    /// More than an interactive session produces, and small enough to keep in memory until the
    /// document is closed.
    private static let undoByteLimit = 64 << 20

    /// Starts with a session, and creates a context for it.
    func begin(_ opened: SessionKeeper.Opened, classes: [String: ManagedObject.Type]) {
        objectClasses = classes
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: opened.state.model, classes: classes, factories: [])
        coordinator.add(opened.state.store)
        let context = ManagedObjectContext(coordinator)
        let undoManager = UndoManager()
        undoManager.byteLimit = Self.undoByteLimit
        context.undoManager = undoManager
        openContext = context
        edits.didRead(opened.state, at: context.edits.position)
        goOn(with: opened)
        adoptPendingValues()
    }

    /// Continues with another session and the same objects.
    /// - Returns: The keeper of the previous session.
    @discardableResult
    func goOn(with opened: SessionKeeper.Opened) -> SessionKeeper? {
        let previous = keeper
        keeper = opened.keeper
        take(opened.state)
        let refusal: @Sendable (PersistentStoreCoordinator.Write) -> any Error = { OpenDocument.refusal(of: $0) }
        openContext?.persistentStoreCoordinator.refuseSaving(opened.state.marker == nil ? nil : refusal)
        return previous
    }

    private func take(_ state: SessionState) {
        if let openState, openState.store !== state.store {
            openContext?.persistentStoreCoordinator.replace(openState.store, by: state.store)
        }
        openState = state
    }

    /// Runs work on the files outside of the caller's isolation domain, which may continue to edit.
    func performInBackground<Result: Sendable>(_ body: @Sendable (inout DocumentSession) throws -> Result) async throws
        -> Result
    {
        guard let keeper else { throw DocumentError(.usage, "the document is closed") }
        let outcome = await keeper.performInBackground(body)
        take(outcome.state)
        return try outcome.result.get()
    }

    /// Runs work on the files in the caller's isolation domain: work during which nobody may use
    /// the store, or that is too short to be worth a switch.
    func performInline<Result: Sendable>(_ body: @Sendable (inout DocumentSession) throws -> Result) throws -> Result {
        guard let keeper else { throw DocumentError(.usage, "the document is closed") }
        let outcome = keeper.performInline(body)
        take(outcome.state)
        if !outcome.state.isStoreOpen { end() }
        return try outcome.result.get()
    }

    /// Runs `ending`, which closes the session, and opens a new session with the current files on
    /// disk, the same objects and the same lock.
    func reopen(after ending: @escaping @Sendable (DocumentSession) throws -> Void) throws {
        try performInline { session in
            var failure: (any Error)?
            let keys = session.givenKeys()
            do { try ending(session) } catch { failure = error }
            // The store is still open, so the failure happened before anything was changed.
            if let failure, session.isStoreOpen { throw failure }
            do {
                let model = session.model
                session = try DocumentSession.reopen(session.path, lock: session.lock, model: .model(model))
                try session.hold(keys)
                session.renewTrace()
            } catch {
                if let failure { throw failure }
                throw (error as? DocumentError)?.ofWritten(
                    session.path, hint: "the document is closed: open it again later") ?? error
            }
            if let failure { throw failure }
        }
    }

    /// Called when the document was moved.
    func didMove() {
        background?.watch(state.trace)
        moveHandler?()
    }

    /// Called when the files are closed: removes the store from the context.
    func end() {
        background?.stop()
        background = nil
        // The session has closed the store already; this removes it from the coordinator.
        try? openContext?.persistentStoreCoordinator.removePersistentStores()
        openContext = nil
        formerIdentity = openState.map { Identity($0) } ?? formerIdentity
        openState = nil
        keeper = nil
        edits.didClose()
        outsideChange = nil
        if let scratchFolder { StateFolder.removeTemporary(scratchFolder) }
        scratchFolder = nil
        if let mergeFolder { StateFolder.removeTemporary(mergeFolder) }
        mergeFolder = nil
        closeHandler?()
    }
}
