internal import DocumentFiles
public import Foundation
internal import ObjectGraph
internal import Query
internal import Schema
internal import Storage

extension PersistentDocument {
    /// Saves: validates, commits everything in one step, and makes it the document's state on the disk. Does nothing where nothing is unsaved.
    ///
    /// ```swift
    /// try await document.save()
    /// ```
    /// What is to be written is taken when the save begins; the writing is done off the caller, who may go on editing: changes that are made meanwhile stay unsaved.
    /// A save that is called while another one runs begins when that has ended. When it returns, the save survives a power cut. When it throws, the document on the disk is
    /// as it was, and the changes are still there to be saved.
    /// - Parameter progress: Told how far the save has come. Cancelling it, or the task, before the commit ends the save with `CancellationError`.
    /// - Throws: `ValidationError` with every violated rule, `GraphError` for conflicts; `DocumentError` naming the stage and the cause, `changed` where another program
    ///   has moved, replaced or deleted the document.
    public func save(progress: Progress?) async throws {
        try await opened.exclusively { try await WorkProgress.with(progress) { try await saveNow() } }
    }

    /// Saves without telling how far it has come: ``save(progress:)``.
    public func save() async throws { try await save(progress: nil) }

    func saveNow() async throws {
        var state = try opened.editingState()
        guard !isUntitled else { throw DocumentError(.usage, "the document has no name yet", path: state.path, hint: "save it as a document with a name") }
        try await checkOutside()
        state = self.state
        try opened.validateUncheckedObjects()
        try validate()
        let extra = try capturedParts()
        let prepared = try context.prepareSave(reservesKeys: state.marker != nil, deletesMembers: true)
        let position = context.editPosition
        guard prepared != nil || state.hasAutosavedWork || opened.edits.hasNotedChanges else {
            opened.edits.didFindNothingToSave(at: position)
            return
        }
        let save = opened.edits.beginSave(at: position)
        do {
            if state.hasWorkingSet {
                let isShared = state.kind == .package
                // Of a package in a shared place its own files come with the store that takes its place.
                try await commit(prepared, .autosave(isUnchecked: false), isShared ? CapturedParts(description: extra.description) : extra)
                opened.edits.didStage(save)
                try await opened.performInBackground { session in
                    try WorkProgress.check()
                    // The new archive would lack them.
                    if !isShared, let failure = session.unplacedParts { throw failure }
                    if isShared { try session.replaceSharedStore(extra) } else { try session.replaceArchive() }
                    session.renewTrace()
                }
                // The save stands; what hinders this is seen by the next commit.
                try? goOnWithNewArchive()
            } else {
                try await commit(prepared, .save, extra)
            }
        } catch {
            opened.edits.didFail(save)
            throw error
        }
        opened.edits.didSave(save, isPartial: self.state.unplacedParts != nil)
        opened.endRecoveryAttempt()
    }

    /// Keeps the changes safe from crashes and power cuts, without saving them: the next opening finds them, `revert()` gives them up. Costs a few
    /// kilobytes and a millisecond or so whatever the document's size. An invalid state is legal here: unique values that two objects have are kept apart, see
    /// ``pendingUniqueValues``. Does nothing where nothing changed.
    /// - Throws: `DocumentError` with code `unsupported` for a store by itself, which has no such level. `CancellationError` where the task was cancelled before the commit.
    public func autosave() async throws {
        try await opened.exclusively { try await autosaveNow() }
    }

    func autosaveNow() async throws {
        // Every commit looks at the document's place by itself: to look at it before costs as much as the rest, and is only of use where something was found.
        if outsideChange != nil { try await checkOutside() }
        do {
            try await autosaveHere()
        } catch let error as DocumentError where error.code == .changed && outsideChange == nil {
            try await checkOutside()
            try await autosaveHere()
        }
    }

    private func autosaveHere() async throws {
        let state = try opened.editingState()
        guard state.marker != nil else { throw DocumentError(.unsupported, "a store by itself has no autosave: save it", path: state.path) }
        context.processPendingChanges()
        guard !opened.edits.isCommitted(at: context.editPosition) else { return }
        var isUnchecked = false
        var prepared: PreparedSave?
        var denied: [DeniedDeletion] = []
        do {
            prepared = try context.prepareSave(reservesKeys: true)
        } catch let error where !(error is GraphError) {
            // The model's rules or the application's own: they wait for the save.
            isUnchecked = true
            denied = try context.deniedDeletions()
            prepared = try context.prepareSave(validates: false, reservesKeys: true)
        }
        let position = context.editPosition
        denied = opened.edits.deniedDeletions + denied
        if let prepared { try await commitAutosave(prepared, isUnchecked: isUnchecked, denied) }
        opened.edits.didAutosave(at: position, denied: denied)
        opened.endRecoveryAttempt()
        try await boundJournal()
    }

    /// After an autosave: where the journal has become too large the store takes up what is in it. The work is safe already, so what hinders that is no failure; the next autosave
    /// tries again.
    /// - Throws: what hinders the document from going on, which is closed then, its work kept.
    private func boundJournal() async throws {
        guard state.isJournalFull else { return }
        let isPrepared = try? await opened.performInBackground { session in
            try session.foldAutosavedWork()
            session.renewTrace()
            return session.ownStore != nil
        }
        guard isPrepared == true else { return }
        do {
            // Here, since nobody may use the store meanwhile.
            try opened.performInline { session in
                session = try session.onOwnStore()
                session.renewTrace()
            }
        } catch where isOpen {
            // Said above.
        }
    }

    /// After a save has replaced the archive: what follows is committed on the new one. Here, since nobody may use the store meanwhile.
    private func goOnWithNewArchive() throws {
        try opened.performInline { session in
            guard session.isReplaced else { return }
            do {
                session = try session.successor()
            } catch {
                session.unfinishedSave = error
                throw error
            }
            session.renewTrace()
        }
    }

    /// Commits what was prepared, away from the caller, and tells the context how it went.
    private func commit(_ prepared: PreparedSave?, _ level: DocumentSession.Level, _ extra: CapturedParts) async throws {
        var next = prepared
        repeat {
            do {
                let receipt = try await write(next?.changes ?? ChangeSet(), level, extra)
                if let next { context.completeSave(next, receipt) }
                return
            } catch let error as CancellationError {
                throw next.map { context.failSave($0, error) } ?? error
            } catch {
                guard let failed = next else { throw error }
                next = try context.prepareSave(again: failed, after: error)
            }
        } while next != nil
        // The merge policy left nothing to write: the marker of the save is still due.
        _ = try await write(ChangeSet(), level, extra)
    }

    /// Commits an autosave. What the store can't take since it has to be unique is kept beside the tables, and goes on being a change here.
    private func commitAutosave(_ prepared: PreparedSave, isUnchecked: Bool, _ denied: [DeniedDeletion]) async throws {
        var next: PreparedSave? = prepared, left: [PendingUniqueValue] = []
        while let save = next {
            do {
                context.completeSave(save, try await write(save.changes, .autosave(isUnchecked: isUnchecked, pending: left, denied: denied.metadata), CapturedParts()))
                return try context.takeUp(left)
            } catch let error as CancellationError {
                throw context.failSave(save, error)
            } catch {
                (next, left) = try context.prepareAutosave(again: save, after: error)
            }
        }
    }

    private func write(_ changes: ChangeSet, _ level: DocumentSession.Level, _ extra: CapturedParts) async throws -> SaveReceipt {
        if state.isReplaced { try goOnWithNewArchive() }
        let limit = autosavedBytesLimit
        let work: @Sendable (inout DocumentSession) throws -> SaveReceipt = { session in
            try session.checkPlace()
            let staged = try session.stage(extra)
            defer { staged.remove() }
            try WorkProgress.check()
            var changes = changes
            session.describe(extra, in: &changes)
            let receipt = try session.commit(changes, level)
            session.noteDescription(extra)
            let failure = session.place(staged)
            if case .save = level {
                session.settleSave()
                session.renewTrace()
            }
            session.unfinishedSave = session.unfinishedSave ?? failure
            // While the session is at hand: to come back for it would take longer than the look itself.
            if case .autosave = level { session.isJournalFull = (try? session.isJournalFull(limit)) ?? false }
            return receipt
        }
        // Numbers can't be held back for new objects of a store that other programs write to as well: so nobody may fetch here while their rows are written.
        return state.marker == nil ? try opened.performInline(work) : try await opened.performInBackground(work)
    }

    /// Nothing is written to a place where another program has been, before it is settled what becomes of that.
    func checkOutside() async throws {
        if let change = await lookOutside() {
            outsideChangeHandler?(change)
            // What was to be saved is not here any more.
            if case .resolved(let kept) = change, let failure = kept.failure { throw failure }
        }
        switch outsideChange {
        case nil, .moved, .reloaded, .resolved: return
        case .conflict:
            throw DocumentError(.changed, "the document was changed by another program", path: url.path, stage: .writing, hint: "resolve the conflict first")
        case .deleted:
            throw DocumentError(.changed, "the document was deleted", path: url.path, stage: .writing, hint: "save it as another document")
        case .unreadable(let error): throw error
        }
    }
}
