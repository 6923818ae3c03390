internal import DocumentFiles
internal import ObjectGraph
internal import Storage

extension DocumentSaver {
    /// Commits what neither a save nor an autosave has committed, valid or not.
    func autosave() async throws {
        // Every commit looks at the document's place by itself: to look at it before costs as much
        // as the rest, and is only of use where something was found.
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
        guard !document.edits.isCommitted(at: context.editPosition) else { return }
        var isUnchecked = false
        var prepared: PreparedSave?
        var denied = document.edits.deniedDeletions
        do {
            prepared = try context.prepareSave(reservesKeys: true)
        } catch let error where !(error is GraphError) {
            // The model's rules or the application's own: they wait for the save.
            isUnchecked = true
            denied += try context.deniedDeletions()
            prepared = try context.prepareSave(validates: false, reservesKeys: true)
        }
        let position = context.editPosition
        if let prepared { try await commit(prepared, isUnchecked: isUnchecked, denied) }
        document.edits.didAutosave(at: position, denied: denied)
        document.endRecoveryAttempt()
        try await checkpointIfWALTooLarge()
    }

    /// Commits an autosave. What the store can't take since it has to be unique is kept beside the
    /// tables, and goes on being a change here.
    private func commit(_ prepared: PreparedSave, isUnchecked: Bool, _ denied: [DeniedDeletion]) async throws {
        var next: PreparedSave? = prepared, left: [PendingUniqueValue] = []
        while let save = next {
            do {
                context.completeSave(
                    save,
                    try await write(
                        save.changes, .autosave(isUnchecked: isUnchecked, pending: left, denied: denied.metadata),
                        CapturedParts()))
                return try context.takeUp(left)
            } catch let error as CancellationError {
                throw context.failSave(save, error)
            } catch {
                (next, left) = try context.prepareAutosave(again: save, after: error)
            }
        }
    }

    /// After an autosave: where the WAL has become too large the store takes up what is in it. The
    /// work is safe already, so what hinders that is no failure; the next autosave tries again.
    /// - Throws: what hinders the document from going on, which is closed then, its work kept.
    private func checkpointIfWALTooLarge() async throws {
        guard document.state.isWALFull else { return }
        let isPrepared = try? await document.performInBackground { session in
            try session.checkpointAutosavedWork()
            session.renewTrace()
            return session.ownStore != nil
        }
        guard isPrepared == true else { return }
        do {
            // Inline, since nobody may use the store meanwhile.
            try document.performInline { session in
                session = try session.onOwnStore()
                session.renewTrace()
            }
        } catch  where document.isOpen {
            // Said above.
        }
    }
}
