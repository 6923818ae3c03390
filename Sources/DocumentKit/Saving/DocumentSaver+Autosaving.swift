internal import DocumentFiles
internal import ObjectGraph
internal import Storage

extension DocumentSaver {
    /// Commits all uncommitted edits, valid or not.
    func autosave() async throws {
        // Every commit checks the document's path itself. An additional check before would double
        // the cost of an autosave, so it is done only if a change was detected.
        if document.outsideChange != nil { try await outside.check() }
        do {
            try await commitUnsavedEdits()
        } catch let error as DocumentError where error.code == .changed && document.outsideChange == nil {
            try await outside.check()
            try await commitUnsavedEdits()
        }
    }

    private func commitUnsavedEdits() async throws {
        let state = try document.editingState()
        guard state.marker != nil else {
            throw DocumentError(.unsupported, "a store by itself has no autosave: save it", path: state.path)
        }
        context.processPendingChanges()
        guard !document.edits.isCommitted(at: context.edits.position) else { return }
        var isUnchecked = false
        var prepared: PreparedSave?
        var denied = document.edits.deniedDeletions
        do {
            prepared = try context.saving.prepare(reservesKeys: true)
        } catch let error where !(error is GraphError) {
            // The validation rules of the model or of the application failed. They are enforced by
            // the save.
            isUnchecked = true
            denied += try context.saving.deniedDeletions()
            prepared = try context.saving.prepare(validates: false, reservesKeys: true)
        }
        let position = context.edits.position
        if let prepared { try await commit(prepared, isUnchecked: isUnchecked, denied) }
        document.edits.didAutosave(at: position, denied: denied)
        document.endRecoveryAttempt()
        try await checkpointIfWALTooLarge()
    }

    /// Commits an autosave. Values that violate a uniqueness constraint are recorded outside of the
    /// tables, and stay changes of the context.
    private func commit(_ prepared: PreparedSave, isUnchecked: Bool, _ denied: [DeniedDeletion]) async throws {
        var next: PreparedSave? = prepared, left: [PendingUniqueValue] = []
        while let save = next {
            do {
                context.saving.complete(
                    save,
                    try await write(
                        save.changes, .autosave(isUnchecked: isUnchecked, pending: left, denied: denied.metadata),
                        document.autosavedMergeParts()))
                return try context.deferral.takeUp(left)
            } catch let error as CancellationError {
                throw context.saving.fail(save, error)
            } catch {
                (next, left) = try context.deferral.prepareAutosave(again: save, after: error)
            }
        }
    }

    /// Checkpoints the store after an autosave if the WAL is too large. The work is already
    /// durable, so an error is ignored, and the next autosave tries again.
    /// - Throws: An error that prevents the document from continuing. The document is closed then,
    ///   and its work is kept.
    private func checkpointIfWALTooLarge() async throws {
        guard document.state.isWALFull else { return }
        let isPrepared = try? await document.performInBackground { session in
            try session.checkpointAutosavedWork()
            session.renewTrace()
            return session.ownStore != nil
        }
        guard isPrepared == true else { return }
        do {
            // Inline, because nobody may use the store while it is replaced.
            try document.performInline { session in
                session = try session.onOwnStore()
                session.renewTrace()
            }
        } catch  where document.isOpen {
            // Ignored, see above.
        }
    }
}
