internal import DocumentFiles
internal import ObjectGraph
internal import Storage

extension PersistentDocument {
    /// What becomes of unsaved work when a document is closed.
    public enum UnsavedWork: Sendable, Hashable {
        /// It is saved; where that fails the document stays open.
        case save
        /// It is autosaved: the next opening finds it. What can't be autosaved (the changes of a store by itself, what ``noteChange()`` has noted) fails the close with
        /// `DocumentError` `unsavedChanges`, and the document stays open.
        case keep
        /// It is given up: the document is as it was last saved.
        case discard
    }

    /// Gives up everything since the last save: changes in the context and autosaved work. The latter is set aside until the next save.
    ///
    /// Objects stay; they show the saved values at their next use, and those that the last save did not have are deleted.
    public func revert() async throws {
        try await opened.exclusively {
            let state = try opened.editingState()
            opened.giveUpEdits()
            if state.hasAutosavedWork { try opened.reopen { try $0.closeDiscardingAutosavedWork() } }
            opened.showReadState()
        }
    }

    /// Closes the document and gives its lock back, after the operations that are under way.
    ///
    /// Unsaved work is treated as the policy of ``startBackgroundTasks(_:isolation:)`` says. Without one it is kept (``UnsavedWork/keep``): autosaved, so that the next opening
    /// finds it and says so by `DocumentError` `recoverable`. A document that is open for reading has nothing to keep: changes in its context are dropped.
    /// - Parameter discarding: Whether unsaved work is given up instead, autosaved work too.
    /// - Throws: As ``close(_:)``.
    public func close(discardingUnsavedWork discarding: Bool = false) async throws {
        try await close(discarding ? .discard : opened.background?.policy.unsavedWorkOnClose ?? .keep)
    }

    /// Closes the document and gives its lock back, after the operations that are under way. Changes that are made while unsaved work is written are treated as it is. Does nothing
    /// where the document is closed.
    ///
    /// ```swift
    /// try await document.close(.save)
    /// ```
    /// - Throws: What saving or autosaving throws, and `DocumentError` with code `unsavedChanges` for work that can't be kept; then the document stays open. `DocumentError` where
    ///   the files could not be closed as they should; then it is closed.
    public func close(_ work: UnsavedWork) async throws {
        try await opened.exclusively {
            guard isOpen else { return }
            switch work {
            case .save: try await repeatUntilSettled({ hasUnsavedChanges }) { try await saveNow() }
            case .keep: try await keepUnsavedWork()
            case .discard: break
            }
            try await closeNow(discarding: work == .discard)
        }
    }

    private func keepUnsavedWork() async throws {
        guard state.isEditing else { return }
        if state.marker != nil { try await repeatUntilSettled({ hasUncommittedEdits }) { try await autosaveNow() } }
        guard opened.edits.hasNotedChanges || hasUncommittedEdits else { return }
        throw unsavedChanges(state.marker == nil ? "there are changes, and a store by itself has no autosave" : "there are changes outside the objects, which no autosave keeps")
    }

    /// Edits that are neither saved nor autosaved. Those that were undone again are none.
    private var hasUncommittedEdits: Bool {
        context.processPendingChanges()
        return hasUnsavedChanges && !opened.edits.isCommitted(at: context.editPosition)
    }

    /// Commits until nothing is left: the owner may edit while a commit is written.
    private func repeatUntilSettled(_ isLeft: () -> Bool, _ commit: () async throws -> Void) async throws {
        for _ in 0..<Self.mostCommitsOnClose {
            guard isLeft() else { return }
            try await commit()
        }
        if isLeft() { throw unsavedChanges("there are new changes after every save") }
    }

    private static var mostCommitsOnClose: Int { 100 }

    private func unsavedChanges(_ reason: String) -> DocumentError {
        DocumentError(.unsavedChanges, reason, path: state.path, stage: .closing, hint: "save the document, or close it with .discard")
    }

    private func closeNow(discarding: Bool) async throws {
        guard isOpen else { return }
        // Work that was undone again is no work: the document is as it was saved.
        let isUndone = state.isEditing && state.hasAutosavedWork && !hasUnsavedChanges
        let discards = (discarding || isUndone) && state.isEditing && state.hasAutosavedWork
        defer { opened.end() }
        try await opened.performInBackground { session in
            if session.isEditing, let finding = try? session.trace?.look(), finding != .same {
                guard case .moved(let place) = finding else { return try session.closeLeavingPlace() }
                session = try session.following(to: place)
            }
            guard discards else { return try session.close() }
            defer { session.unlock() }
            try session.closeDiscardingAutosavedWork()
            try session.workingSet?.remove()
        }
        opened.endRecoveryAttempt()
    }
}

extension PersistentDocument {
    /// Removes what this process has put into temporary folders, of documents that are open too: for a program that is about to end without closing them.
    /// - Parameter includingLocks: Whether the files of its locks go too, as it is writing none of the documents.
    package static func removeTemporaryFiles(includingLocks: Bool = false) {
        StateFolder.removeTemporaries()
        if includingLocks { DocumentLock.removeFiles() }
    }
}
