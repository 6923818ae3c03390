internal import DocumentFiles
internal import ObjectGraph
internal import Storage

/// Saves a document: what is prepared here is written off the owner, who may go on editing.
struct DocumentSaver {
    let document: OpenDocument
    let outside: OutsideChanges
    let hooks: DocumentHooks
    /// How much may be autosaved on top of a save, in bytes; nil for the session's own limit.
    let autosavedBytesLimit: Int64?

    var context: ManagedObjectContext { document.context }

    /// Saves what is unsaved, if anything is.
    func save() async throws {
        try checkHasName()
        try await outside.check()
        try document.validateUncheckedObjects()
        try hooks.validate()
        let parts = try hooks.capturedParts()
        let prepared = try context.prepareSave(reservesKeys: document.state.marker != nil, deletesMembers: true)
        let position = context.editPosition
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
        document.endRecoveryAttempt()
    }

    private func checkHasName() throws {
        let state = try document.editingState()
        guard !document.isUntitled else {
            throw DocumentError(
                .usage, "the document has no name yet", path: state.path, hint: "save it as a document with a name")
        }
    }

    /// Commits to the working set, whose store then takes the place of the document's.
    private func commitToWorkingSet(_ prepared: PreparedSave?, _ parts: CapturedParts, _ save: EditStatus.Save)
        async throws
    {
        let isShared = document.state.kind == .package
        // Of a package in a shared place its own files come with the store that takes its place.
        try await commit(
            prepared, .autosave(isUnchecked: false), isShared ? CapturedParts(description: parts.description) : parts)
        document.edits.didStage(save)
        try await document.performInBackground { session in
            try WorkProgress.check()
            // The new archive would lack them.
            if !isShared, let failure = session.unplacedParts { throw failure }
            if isShared { try session.replaceSharedStore(parts) } else { try session.replaceArchive() }
            session.renewTrace()
        }
        // The save stands; what hinders this is seen by the next commit.
        try? goOnWithNewArchive()
    }

    /// After a save has replaced the archive: what follows is committed on the new one. Inline,
    /// since nobody may use the store meanwhile.
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

    /// Commits what was prepared, off the caller, and tells the context how it went.
    private func commit(_ prepared: PreparedSave?, _ level: DocumentSession.Level, _ parts: CapturedParts) async throws
    {
        var next = prepared
        repeat {
            do {
                let receipt = try await write(next?.changes ?? ChangeSet(), level, parts)
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
        _ = try await write(ChangeSet(), level, parts)
    }

    /// Stages the application's files, commits, places the files and settles the save.
    func write(_ changes: ChangeSet, _ level: DocumentSession.Level, _ parts: CapturedParts) async throws -> SaveReceipt
    {
        if document.state.isReplaced { try goOnWithNewArchive() }
        let limit = autosavedBytesLimit
        let work: @Sendable (inout DocumentSession) throws -> SaveReceipt = { session in
            try session.checkPlace()
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
            // While the session is at hand: to come back for it would take longer than the look
            // itself.
            if case .autosave = level { session.checkWALSize(limit) }
            return receipt
        }
        // Numbers can't be held back for new objects of a store that other programs write to as
        // well: so nobody may fetch here while their rows are written.
        return document.state.marker == nil
            ? try document.performInline(work) : try await document.performInBackground(work)
    }
}

// MARK: Pieces

extension DocumentSaver {
    /// Writes the changes of the context, unchecked, as a piece of the next save.
    func writePiece() throws {
        try context.writeUnchecked { changes in
            try document.performInline { session in try session.writePiece(changes) }
        }
        document.noteChange()
    }
}
