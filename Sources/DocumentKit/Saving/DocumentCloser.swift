internal import DocumentFiles
internal import ObjectGraph

/// Closes a document after keeping or discarding its unsaved work.
struct DocumentCloser {
    let document: OpenDocument
    let saver: DocumentSaver

    private static let mostCommits = 100

    private func save() async throws {
        try await repeatUntilSettled({ document.hasUnsavedChanges }) { try await saver.save() }
    }

    private func keepUnsavedWork() async throws {
        guard document.state.isEditing else { return }
        let hasAutosave = document.state.marker != nil
        if hasAutosave { try await repeatUntilSettled({ hasUncommittedEdits }) { try await saver.autosave() } }
        guard document.edits.hasNotedChanges || hasUncommittedEdits else { return }
        throw unsavedChanges(
            hasAutosave
                ? "there are changes outside the objects, which no autosave keeps"
                : "there are changes, and a store by itself has no autosave")
    }

    /// Whether there are edits that are neither saved nor autosaved. Edits that were undone don't
    /// count.
    private var hasUncommittedEdits: Bool {
        document.context.processPendingChanges()
        return document.hasUnsavedChanges && !document.edits.isCommitted(at: document.context.edits.position)
    }

    /// Commits until nothing is left, because the owner may edit while a commit is written. Gives
    /// up after a fixed number of commits.
    private func repeatUntilSettled(_ isLeft: () -> Bool, _ commit: () async throws -> Void) async throws {
        for _ in 0..<Self.mostCommits {
            guard isLeft() else { return }
            try await commit()
        }
        if isLeft() { throw unsavedChanges("there are new changes after every save") }
    }

    private func unsavedChanges(_ reason: String) -> DocumentError {
        DocumentError(
            .unsavedChanges, reason, path: document.path, stage: .closing,
            hint: "save the document, or close it with .discard")
    }

    /// Closes the document after keeping, saving or discarding its unsaved work.
    func close(_ work: PersistentDocument.UnsavedWork) async throws {
        guard document.isOpen else { return }
        switch work {
        case .save: try await save()
        case .keep: try await keepUnsavedWork()
        case .discard: break
        }
        try await close(discarding: work == .discard)
    }

    /// Closes the session and the document.
    private func close(discarding: Bool) async throws {
        guard document.isOpen else { return }
        // If all autosaved changes were undone, the document equals its last save, and the autosave
        // is discarded.
        let isUndone = document.state.isEditing && document.state.hasAutosavedWork && !document.hasUnsavedChanges
        let discards = (discarding || isUndone) && document.state.isEditing && document.state.hasAutosavedWork
        defer { document.end() }
        try await document.performInBackground { session in
            if session.isEditing, let finding = try? session.trace?.look(), finding != .same {
                guard case .moved(let place) = finding else { return try session.closeLeavingPlace() }
                session = try session.following(to: place)
            }
            if discards { try session.closeGivingUpWork() } else { try session.close() }
        }
        document.endRecoveryAttempt()
    }
}
