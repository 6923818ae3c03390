internal import ObjectGraph
internal import Storage

extension PersistentDocument {
    /// What becomes of unsaved work when a document is closed.
    public enum UnsavedWork: Sendable, Hashable {
        /// It is saved; where that fails the document stays open.
        case save
        /// It is autosaved: the next opening finds it. A store by itself, which has no such level, loses it.
        case keep
        /// It is given up: the document is as it was last saved.
        case discard
    }

    /// Gives up everything since the last save: changes in the context and autosaved work. The latter is set aside until the next save.
    ///
    /// Objects stay; they show the saved values at their next use, and those that the last save did not have are deleted.
    public func revert() async throws {
        try await exclusively {
            let state = try editingState()
            context.rollback()
            context.undoManager?.removeAllActions()
            if state.hasAutosavedWork { try goOn { try $0.closeDiscardingAutosavedWork() } }
            didReload()
        }
    }

    /// What is open was read anew: nothing is unsaved but the work that came with it.
    func didReload() {
        recovered = state.recoveredWork
        hasNotedChanges = false
        discardableChangeCount = 0
        deniedDeletions = []
        context.forgetMissingObjects()
        context.refreshAllObjects()
        context.processPendingChanges()
        takeUpPendingValues()
        committedPosition = context.editPosition
        savedPosition = state.hasAutosavedWork ? nil : committedPosition
    }

    /// Runs what ends the session, and goes on with the document as it is then on the disk, the same objects and the same lock.
    func goOn(after ending: @escaping @Sendable (DocumentSession) throws -> Void) throws {
        try here { session in
            var failure: (any Error)?
            do { try ending(session) } catch { failure = error }
            // What failed early has changed nothing.
            if let failure, session.isStoreOpen { throw failure }
            do {
                let model = session.model
                session = try DocumentSession.reopen(session.path, lock: session.lock) { _ in model }
                session.renewTrace()
            } catch {
                throw failure ?? error
            }
            if let failure { throw failure }
        }
    }

    /// Closes the document and gives its lock back, after the operations that are under way.
    ///
    /// Unsaved work is treated as the policy of ``startBackgroundTasks(_:isolation:)`` says. Without one, changes in the context are lost, and autosaved work stays for the
    /// next opening, unless `discarding` says so.
    public func close(discardingUnsavedWork discarding: Bool = false) async throws {
        if !discarding, isOpen, let policy = background?.policy, let work = policy.unsavedWorkOnClose { return try await close(work) }
        try await exclusively { try await closeNow(discarding: discarding) }
    }

    /// Closes the document and gives its lock back, after the operations that are under way.
    ///
    /// ```swift
    /// try await document.close(.save)
    /// ```
    /// - Throws: What saving or autosaving throws; then the document stays open. `DocumentError` where the files could not be closed as they should; then it is closed.
    public func close(_ work: UnsavedWork) async throws {
        try await exclusively {
            guard isOpen else { return }
            switch work {
            case .save: if hasUnsavedChanges { try await saveNow() }
            case .keep: if hasUnsavedChanges, state.isEditing, state.marker != nil { try await autosaveNow() }
            case .discard: break
            }
            try await closeNow(discarding: work == .discard)
        }
    }

    private func closeNow(discarding: Bool) async throws {
        guard isOpen else { return }
        // Work that was undone again is no work: the document is as it was saved.
        let isUndone = state.isEditing && state.hasAutosavedWork && !hasUnsavedChanges
        let discards = (discarding || isUndone) && state.isEditing && state.hasAutosavedWork
        defer { end() }
        try await away { session in
            if session.isEditing, let finding = try? session.trace?.look(), finding != .same {
                guard case .moved(let place) = finding else { return try session.closeLeavingPlace() }
                session = try session.following(to: place)
            }
            guard discards else { return try session.close() }
            defer { session.unlock() }
            try session.closeDiscardingAutosavedWork()
            try session.workingSet?.remove()
        }
        endRecoveryAttempt()
    }
}

extension PersistentDocument {
    /// Removes what this process has put into temporary folders, of documents that are open too: for a program that is about to end without closing them.
    package static func removeTemporaryFiles() { StateFolder.removeTemporaries() }
}
