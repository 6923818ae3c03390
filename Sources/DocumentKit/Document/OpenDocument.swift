internal import DocumentFiles
internal import Foundation
internal import ObjectGraph
internal import Query
internal import Schema
internal import Storage

/// What a document has while it is open: its session, the objects that show it, and what of them is
/// not saved.
///
/// It belongs to the document's owner. The parts that save, copy, move and close a document work on
/// this; closed, it stays closed.
final class OpenDocument {
    private var keeper: SessionKeeper?
    private var openState: SessionState?
    private var openContext: ManagedObjectContext?
    private(set) var objectClasses: [String: ManagedObject.Type] = [:]
    var edits = EditStatus()
    /// What another program did that is not settled yet.
    var outsideChange: OutsideChange?
    var background: BackgroundTasks?
    var recoveryAttempt: RecoveryAttempts?
    /// A folder that goes when the document is closed.
    var scratchFolder: String?
    /// Told when the document has another place, and when it is closed.
    var moveHandler: (() -> Void)?
    var closeHandler: (() -> Void)?

    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    deinit { background?.stop() }

    /// Runs an operation after those that were called before it have ended, and before those that
    /// come later begin.
    func exclusively<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        if isBusy { await withCheckedContinuation { waiting.append($0) } }
        isBusy = true
        defer { if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() } }
        return try await body()
    }

    // MARK: State

    var isOpen: Bool { openState != nil }
    var path: String? { openState?.path }
    var isUntitled: Bool { UntitledDocuments.contains(state.path) }

    var context: ManagedObjectContext {
        guard let openContext else { preconditionFailure("The document is closed: use its context before closing it") }
        return openContext
    }

    /// The session's state after the last piece of work.
    var state: SessionState {
        guard let openState else { preconditionFailure("The document is closed: open it before using it") }
        return openState
    }

    /// The state for an operation that reads.
    func openedState() throws -> SessionState {
        guard let openState else { throw DocumentError(.usage, "the document is closed") }
        return openState
    }

    /// The state for an operation that writes.
    func editingState() throws -> SessionState {
        let openState = try openedState()
        guard openState.isEditing else {
            throw DocumentError(.usage, "the document is open for reading only", path: openState.path)
        }
        return openState
    }

    // MARK: Edits

    var hasUnsavedChanges: Bool { isOpen && edits.isUnsaved(at: context.editPosition) }

    func noteChange() {
        edits.didNoteChange()
        context.noteUnrecordedEdit()
        background?.noteChange()
    }

    func giveUpEdits() {
        context.rollback()
        context.undoManager?.removeAllActions()
    }

    /// Shows what the session has read anew: nothing is unsaved but the work that came with it.
    func showReadState() {
        context.forgetMissingObjects()
        context.refreshAllObjects()
        context.processPendingChanges()
        adoptPendingValues()
        edits.didRead(state, at: context.editPosition)
    }

    /// Makes the values changes again that the store lacks.
    private func adoptPendingValues() {
        guard state.isEditing else { return }
        // What can't be read now is still noted, and taken up by the next opening.
        try? context.takeUp(state.pendingUniqueValues)
    }

    /// Checks every object of the document where an autosave left some unchecked, in this session
    /// or before, and the deletions that were denied.
    func validateUncheckedObjects() throws {
        guard state.marker?.isUnchecked == true else { return }
        context.processPendingChanges()
        var failures = try edits.deniedDeletions.filter { try $0.isStanding(in: context) }.flatMap(\.failures)
        for entity in state.model.entities where entity.superentity == nil {
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name)) {
                do { try object.validateForUpdate() } catch let error as ValidationError { failures += error.failures }
            }
        }
        if !failures.isEmpty { throw ValidationError(failures) }
    }

    func endRecoveryAttempt() {
        // A count that stays makes the next recovery but one be skipped, no more.
        try? recoveryAttempt?.end()
        recoveryAttempt = nil
    }

    // MARK: The session

    /// A commit that the document did not make is counted by none of its levels: an archive would
    /// lose it.
    private static var refusal: DocumentError {
        DocumentError(
            .usage, "a context does not save the objects of a document: the document does, or autosaves them",
            hint: "call the document's save(); elsewhere, work in a child of its context")
    }

    /// More than an editor's session makes, and little enough to be kept until it is closed.
    private static let undoByteLimit = 64 << 20

    /// Takes up a session, with a context of its own.
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
        edits.didRead(opened.state, at: context.editPosition)
        goOn(with: opened)
        adoptPendingValues()
    }

    /// Goes on with another session, and the same objects.
    /// - Returns: What held the session before.
    @discardableResult
    func goOn(with opened: SessionKeeper.Opened) -> SessionKeeper? {
        let previous = keeper
        keeper = opened.keeper
        take(opened.state)
        let refusal: @Sendable () -> any Error = { OpenDocument.refusal }
        openContext?.persistentStoreCoordinator.refuseSaving(opened.state.marker == nil ? nil : refusal)
        return previous
    }

    private func take(_ state: SessionState) {
        if let openState, openState.store !== state.store {
            openContext?.persistentStoreCoordinator.replace(openState.store, by: state.store)
        }
        openState = state
    }

    /// Runs work on the files off the caller, who may go on editing.
    func performInBackground<Result: Sendable>(_ body: @Sendable (inout DocumentSession) throws -> Result) async throws
        -> Result
    {
        guard let keeper else { throw DocumentError(.usage, "the document is closed") }
        let outcome = await keeper.performInBackground(body)
        take(outcome.state)
        return try outcome.result.get()
    }

    /// Runs work on the files while nobody may use the store, or that is too short to go elsewhere
    /// for.
    func performInline<Result: Sendable>(_ body: @Sendable (inout DocumentSession) throws -> Result) throws -> Result {
        guard let keeper else { throw DocumentError(.usage, "the document is closed") }
        let outcome = keeper.performInline(body)
        take(outcome.state)
        if !outcome.state.isStoreOpen { end() }
        return try outcome.result.get()
    }

    /// Runs what ends the session, and goes on with the document as it is then on the disk, the
    /// same objects and the same lock.
    func reopen(after ending: @escaping @Sendable (DocumentSession) throws -> Void) throws {
        try performInline { session in
            var failure: (any Error)?
            do { try ending(session) } catch { failure = error }
            // What failed early has changed nothing.
            if let failure, session.isStoreOpen { throw failure }
            do {
                let model = session.model
                session = try DocumentSession.reopen(session.path, lock: session.lock, model: .model(model))
                session.renewTrace()
            } catch {
                if let failure { throw failure }
                throw (error as? DocumentError)?.ofWritten(
                    session.path, hint: "the document is closed: open it again later") ?? error
            }
            if let failure { throw failure }
        }
    }

    /// The document is at another place.
    func didMove() {
        background?.watch(state.trace)
        moveHandler?()
    }

    /// The files are closed: the context finds no store any more.
    func end() {
        background?.stop()
        background = nil
        // Closed by the session already; this takes it from the context.
        try? openContext?.persistentStoreCoordinator.removePersistentStores()
        openContext = nil
        openState = nil
        keeper = nil
        edits.didClose()
        outsideChange = nil
        if let scratchFolder { StateFolder.removeTemporary(scratchFolder) }
        scratchFolder = nil
        closeHandler?()
    }
}
