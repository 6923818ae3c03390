internal import DocumentFiles
internal import ObjectGraph
internal import Storage

/// Saves a document. Changes are captured in the isolation domain of the owner and written outside
/// of it, so that the owner can continue to edit.
struct DocumentSaver {
    let document: OpenDocument
    let outside: OutsideChanges
    let hooks: DocumentHooks
    /// The maximum size of autosaved work in bytes; nil for the default of the session.
    let autosavedBytesLimit: Int64?

    var context: ManagedObjectContext { document.context }

    /// Saves the document if there are unsaved changes.
    func save() async throws {
        try checkHasName()
        try await outside.check()
        try document.validateUncheckedObjects()
        try hooks.validate()
        let parts = try hooks.capturedParts(), merges = document.mergeMemory
        let prepared = try context.saving.prepare(reservesKeys: document.state.marker != nil, deletesMembers: true)
        let position = context.edits.position
        guard prepared != nil || document.state.hasAutosavedWork || document.edits.hasNotedChanges else {
            return document.edits.didFindNothingToSave(at: position)
        }
        let save = document.edits.beginSave(at: position)
        do {
            if document.state.hasWorkingSet {
                try await commitToWorkingSet(prepared, parts, save)
            } else {
                try await commit(prepared, .save, parts)
            }
        } catch {
            document.edits.didFail(save)
            throw error
        }
        document.edits.didSave(save, isPartial: document.state.unplacedParts != nil)
        // The next save writes the list of conflicts again where it could not be put into place.
        if document.state.unplacedParts == nil { document.didSaveMergeMemory(merges) }
        document.endRecoveryAttempt()
    }

    private func checkHasName() throws {
        let state = try document.editingState()
        guard !document.isUntitled else {
            throw DocumentError(
                .usage, "the document has no name yet", path: state.path, hint: "save it as a document with a name")
        }
    }

    /// Commits to the working set, whose store then replaces the document's store.
    private func commitToWorkingSet(_ prepared: PreparedSave?, _ parts: CapturedParts, _ save: EditStatus.Save)
        async throws
    {
        let isShared = document.state.kind == .package
        // For a package on a shared volume, the files are written together with the new store.
        try await commit(
            prepared, .autosave(isUnchecked: false),
            isShared ? CapturedParts(description: parts.description, metadata: parts.metadata) : parts)
        document.edits.didStage(save)
        try await document.performInBackground { session in
            try WorkProgress.check()
            // The new archive would lack the files.
            if !isShared, let failure = session.unplacedParts { throw failure }
            if isShared { try session.replaceSharedStore(parts) } else { try session.replaceArchive() }
            session.renewTrace()
        }
        // The save is committed. If this fails, the next commit tries again and reports the error.
        try? goOnWithNewArchive()
    }

    /// Switches the session to the new archive after a save has replaced it, so that later commits
    /// use the new one. Inline, because nobody may use the store meanwhile.
    private func goOnWithNewArchive() throws {
        try document.performInline { session in
            guard session.isReplaced else { return }
            do {
                session = try session.successor()
            } catch {
                session.postCommitError = error
                throw error
            }
            session.renewTrace()
        }
    }

    /// Commits prepared changes outside of the caller's isolation domain, and reports the result to
    /// the context.
    private func commit(_ prepared: PreparedSave?, _ level: DocumentSession.Level, _ parts: CapturedParts) async throws
    {
        var next = prepared
        repeat {
            do {
                let receipt = try await write(next?.changes ?? ChangeSet(), level, parts, isSave: true)
                if let next { context.saving.complete(next, receipt) }
                return
            } catch let error as CancellationError {
                throw next.map { context.saving.fail($0, error) } ?? error
            } catch {
                guard let failed = next else { throw error }
                next = try context.saving.prepare(again: failed, after: error)
            }
        } while next != nil
        // The merge policy left no changes, but the marker of the save still has to be written.
        _ = try await write(ChangeSet(), level, parts, isSave: true)
    }

    /// Stages the application's files, commits the changes, moves the files into place and
    /// completes the save.
    /// - Parameter isSave: Whether it is part of a save, so that files may be written.
    func write(
        _ changes: ChangeSet, _ level: DocumentSession.Level, _ parts: CapturedParts, isSave: Bool = false
    ) async throws -> SaveReceipt {
        if document.state.isReplaced { try goOnWithNewArchive() }
        let limit = autosavedBytesLimit
        let work: @Sendable (inout DocumentSession) throws -> SaveReceipt = { session in
            try session.checkPlace()
            let parts = isSave ? try session.withNotedConflictList(parts) : parts
            let staged = try session.stage(parts)
            defer { staged.remove() }
            try WorkProgress.check()
            var changes = changes
            session.describe(parts, in: &changes)
            let receipt = try session.commit(changes, level)
            session.noteDescription(parts)
            let failure = session.place(staged)
            if case .save = level {
                session.settleSave()
                session.renewTrace()
            }
            session.postCommitError = session.postCommitError ?? failure
            // Checked here because the session is already locked; another switch to it would take
            // longer than the check.
            if case .autosave = level { session.checkWALSize(limit) }
            return receipt
        }
        // Primary keys can't be reserved in a bare store, to which other programs may write, too.
        // So this runs inline: no fetch may happen here while the new rows are written.
        return document.state.marker == nil
            ? try document.performInline(work) : try await document.performInBackground(work)
    }
}

// MARK: Pieces

extension DocumentSaver {
    /// Writes the changes of the context, without validation, as a piece of the next save.
    func writePiece() throws {
        try context.saving.writeUnchecked { changes in
            try document.performInline { session in try session.writePiece(changes) }
        }
        document.noteChange()
    }
}
