internal import ObjectGraph
internal import Query
internal import Schema
internal import Storage

extension PersistentDocument {
    /// Saves: validates, commits everything in one step, and makes it the document's state on the disk. Does nothing where nothing is unsaved.
    ///
    /// When it returns, the save survives a power cut. When it throws, the document on the disk is as it was, and the changes are still there to be saved.
    /// - Throws: `ValidationError` with every violated rule, `GraphError` for conflicts; `DocumentError` naming the stage and the cause.
    public func save() async throws {
        let session = try editingSession()
        try validateUncheckedObjects()
        let prepared = try context.prepareSave()
        guard prepared != nil || session.hasAutosavedWork else { return }
        if session.workingSet == nil {
            try commit(prepared, .save)
            session.settleSave()
        } else {
            if prepared != nil { try commit(prepared, .autosave(isUnchecked: false)) }
            try session.replaceArchive()
            do { try goOnWithNewArchive() } catch { session.unfinishedSave = error }
        }
        recovered = nil
    }

    /// Keeps the changes safe from crashes and power cuts, without saving them: the next opening finds them, `revert()` gives them up. Costs a few
    /// kilobytes and a millisecond or so whatever the document's size. An invalid state is legal here. Does nothing where nothing changed.
    /// - Throws: `DocumentError` with code `unsupported` for a store by itself, which has no such level.
    public func autosave() async throws {
        let session = try editingSession()
        guard session.marker != nil else { throw DocumentError(.unsupported, "a store by itself has no autosave: save it", path: session.path) }
        var isUnchecked = false
        var prepared: PreparedSave?
        do {
            prepared = try context.prepareSave()
        } catch let error where !(error is GraphError) {
            // The model's rules or the application's own: they wait for the save.
            isUnchecked = true
            prepared = try context.prepareSave(validates: false)
        }
        if let prepared { try commit(prepared, .autosave(isUnchecked: isUnchecked)) }
    }

    /// Checks every object of the document where an autosave left some unchecked, in this session or before.
    func validateUncheckedObjects() throws {
        guard session.marker?.isUnchecked == true else { return }
        var failures: [ValidationError.Failure] = []
        for entity in model.entities where entity.superentity == nil {
            for object in try context.fetch(FetchRequest<ManagedObject>(entity.name)) {
                do { try object.validateForUpdate() } catch let error as ValidationError { failures += error.failures }
            }
        }
        if !failures.isEmpty { throw ValidationError(failures) }
    }

    /// After a save has replaced the archive: what follows is committed on the new one.
    private func goOnWithNewArchive() throws {
        if session.isReplaced { begin(try session.successor()) }
    }

    private func commit(_ prepared: PreparedSave?, _ level: DocumentSession.Level) throws {
        var next = prepared
        repeat {
            do {
                try goOnWithNewArchive()
                let receipt = try session.commit(next?.changes ?? ChangeSet(), level)
                if let next { context.completeSave(next, receipt) }
                return
            } catch {
                guard let failed = next else { throw error }
                next = try context.prepareSave(again: failed, after: error)
            }
        } while next != nil
        // The merge policy left nothing to write: the marker of the save is still due.
        _ = try session.commit(ChangeSet(), level)
    }

    /// Gives up everything since the last save: changes in the context and autosaved work. The latter is set aside until the next save.
    ///
    /// Objects stay; they show the saved values at their next use, and those that the last save did not have are gone.
    public func revert() async throws {
        let session = try editingSession()
        context.rollback()
        context.undoManager?.removeAllActions()
        if session.hasAutosavedWork {
            try goOn(after: { try $0.closeDiscardingAutosavedWork() })
            recovered = nil
        }
        context.refreshAllObjects()
    }

    /// Runs what ends the session, and goes on with the document as it is then on the disk, the same objects and the same lock.
    func goOn(after ending: (DocumentSession) throws -> Void) throws {
        let session = self.session
        var failure: (any Error)?
        do { try ending(session) } catch { failure = error }
        // What failed early has changed nothing.
        if let failure, session.isStoreOpen { throw failure }
        do {
            begin(try DocumentSession.reopen(session.path, lock: session.lock) { [model = session.model] _ in model })
        } catch {
            end()
            throw failure ?? error
        }
        if let failure { throw failure }
    }

    /// Closes the document and gives its lock back. Changes in the context are lost; autosaved work stays for the next opening, unless `discarding` says so.
    public func close(discardingUnsavedWork discarding: Bool = false) async throws {
        guard isOpen else { return }
        let session = self.session
        defer { end() }
        guard discarding, session.isEditing, session.hasAutosavedWork else { return try session.close() }
        defer { session.unlock() }
        try session.closeDiscardingAutosavedWork()
        try session.workingSet?.remove()
    }
}
