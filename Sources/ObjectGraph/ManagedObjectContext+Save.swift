import RowMemory
import Schema
package import Storage

extension ManagedObjectContext {
    /// Writes all changes to the store: all of them, or nothing.
    ///
    /// Pending changes are processed, `willSave` is sent, everything is validated, and one transaction writes it. Objects that were changed in the store meanwhile are
    /// settled by the ``mergePolicy``. If it fails nothing is lost: the changes wait for another save or for ``rollback()``. Costs a transaction and time in proportion to
    /// the changes; without changes, nothing.
    /// - Throws: ``ValidationError`` with all violated rules, or with a value that the store can't keep, such as NaN in a SQLite store; ``GraphError`` with code
    ///   `conflict` or `constraint`; what the store throws. In a document `DocumentError` with code `usage`, but for a store by itself: the document saves.
    public func save() throws { try save(validates: true) }

    func save(validates: Bool) throws {
        if parent == nil { try persistentStoreCoordinator.checkSaving() }
        var next = try prepareSave(validates: validates, deletesMembers: true)
        while let prepared = next {
            do {
                let store = try store()
                completeSave(prepared, try store.apply(prepared.changes))
                if let union = store as? StoreUnion { persistentStoreCoordinator.forgetPendingMetadata(of: union) }
                return
            } catch {
                next = try prepareSave(again: prepared, after: error)
            }
        }
    }

    /// Takes a save's first half: what the store is to write, as values. The context counts further changes from here on.
    ///
    /// The caller has `changes` applied by the store, anywhere, and then calls ``completeSave(_:_:)`` or ``failSave(_:_:)`` here.
    /// - Parameters:
    ///   - validates: whether invalid objects fail the save; not so for an autosave.
    ///   - reservesKeys: whether new objects get their permanent numbers now. Needed where the application goes on while the store writes: a fetch could
    ///     otherwise see new rows whose objects it can't tell.
    ///   - metadata: for the store, in the same transaction.
    ///   - deletesMembers: whether the store may be left to find and delete what goes with deleted objects; where the change set goes to this context's own store.
    /// - Returns: nil if there is nothing to write: then the save has succeeded already.
    package func prepareSave(
        validates: Bool = true, reservesKeys: Bool = false, metadata: [String: MetadataValue?] = [:], deletesMembers: Bool = false
    ) throws -> PreparedSave? {
        precondition(saveUnderWay == nil, "A save of this context is under way: wait for it to end")
        try throwLoadError()
        collectsMemberDeletions = deletesMembers && deletesUnseen
        defer { collectsMemberDeletions = false }
        do {
            try collectChanges()
            try throwLoadError()
            if validates { try validateChanges() }
            if reservesKeys { try obtainPermanentIDsForInsertedObjects() }
        } catch {
            postponeMemberDeletions(memberDeletions)
            memberDeletions = []
            throw error
        }
        return beginSave(validates: validates, metadata: metadata, attempt: 1)
    }

    /// Puts the changes of a save back that the store did not write, lets the merge policy settle why, and prepares the save again.
    /// - Returns: nil if nothing is left to write: then the save has succeeded.
    /// - Throws: the error to throw where no policy can settle it.
    package func prepareSave(again failed: PreparedSave, after error: any Error) throws -> PreparedSave? {
        precondition(saveUnderWay?.number == failed.number, "This save is not the one that is under way")
        putBack()
        // What is settled is settled with the store as it is now.
        moveGenerationForward()
        // Others may write faster than this context reads.
        guard failed.attempt < Self.mostAttempts else { throw translated(error) }
        processPendingChanges()
        try settle(error)
        try throwLoadError()
        if failed.validates { try validateChanges() }
        return beginSave(validates: failed.validates, metadata: failed.changes.metadata, attempt: failed.attempt + 1)
    }

    var changeOrigin: ChangeOrigin { ChangeOrigin(author: transactionAuthor, contextName: name) }

    private static let mostAttempts = 20

    func beginSave(validates: Bool, metadata: [String: MetadataValue?], attempt: Int) -> PreparedSave? {
        var plan = makePlan()
        plan.setMetadata(metadata, origin: changeOrigin)
        begin(plan)
        if plan.changes.isEmpty, parent != nil || persistentStoreCoordinator.union?.pendingMetadata.isEmpty != false {
            // Changes that come to nothing: the objects are clean, and the store has nothing to do.
            accept(SaveReceipt(keys: []))
            return nil
        }
        return PreparedSave(changes: plan.changes, number: plan.underWay.number, validates: validates, attempt: attempt)
    }

    /// Accepts what the store has written: new objects get their permanent IDs, and what was saved is clean.
    package func completeSave(_ prepared: PreparedSave, _ receipt: SaveReceipt) {
        precondition(saveUnderWay?.number == prepared.number, "This save is not the one that is under way")
        accept(receipt)
    }

    /// Puts the changes of a save back, which the store did not write.
    /// - Returns: the error to throw.
    package func failSave(_ prepared: PreparedSave, _ error: any Error) -> any Error {
        precondition(saveUnderWay?.number == prepared.number, "This save is not the one that is under way")
        putBack()
        return translated(error)
    }

    // MARK: The steps

    private func throwLoadError() throws {
        guard let error = loadError else { return }
        loadError = nil
        throw GraphError(.loadFailed, "A value could not be read when it was used, so nothing was saved: \(error)", underlying: error)
    }

    /// Processes changes and lets objects take part, until none of them changes anything any more.
    private func collectChanges() throws {
        processPendingChanges()
        if isObserved(.willSave) { post(ContextNotification(.willSave, self)) }
        processPendingChanges()
        // Objects that this brings have an event of their own: the rounds below send it to them.
        for index in 0..<(isPlain.contains(false) ? changes.indices.count : 0) { changes.object(at: index)?.willSave() }
        var rounds = 0
        // Deletions wait where the store can't be read; that is thrown next.
        while loadError == nil, changes.hasEvent || !pendingDeletions.isEmpty || !postponedDeletions.isEmpty {
            rounds += 1
            if rounds > 1000 {
                throw GraphError(.recursiveDirtying, "Pending changes can't be processed: every round of willSave changes objects again. Set a value only where it differs")
            }
            let objects = changes.eventObjects
            processPendingChanges()
            for object in objects where object.contextReference != nil { object.willSave() }
        }
    }

    private func makePlan() -> SavePlan {
        lastSaveNumber += 1
        var plan = SavePlan(self, number: lastSaveNumber)
        plan.collect()
        return plan
    }

    /// From here on changes are counted anew.
    private func begin(_ plan: SavePlan) {
        saveUnderWay = plan.underWay
        if !plan.underWay.lentSlabs.isEmpty { nursery.leaveSlabs() }
        memberDeletions = []
        changes = ChangeRecords()
        for list in plan.underWay.lists { list.beginSaving() }
        plan.underWay.changes.forEach { object, _ in
            object.recordIndex = -1
            object.state = object.state.subtracting([.inserted, .updated, .free]).union(.saving)
        }
    }

    /// What the store wrote is what the context has; only now is anything clean.
    private func accept(_ receipt: SaveReceipt) {
        guard var save = saveUnderWay else { return }
        saveUnderWay = nil
        save.takeBackRows()
        moveGenerationForward()
        edits.committed = save.position
        var renamed: [UnheldObjects] = []
        // In a parent new objects stay new, under their temporary numbers.
        if parent != nil { for places in save.inserted { save.changes.forEach(at: places) { $0.cells?.setVersion(1) } } }
        for (places, keys) in zip(save.inserted, receipt.keys) where parent == nil {
            // Mostly all are new to the store, or all have got their keys early; those that undo brought back are neither.
            var objects: UnheldObjects = []
            var next = 0
            save.changes.forEach(at: places) { object in
                if object.key < 0 {
                    objects.append(.passUnretained(object))
                    givePermanentKey(object, keys[next])
                }
                object.cells?.setVersion(1)
                next += 1
            }
            if !objects.isEmpty { renamed.append(objects) }
        }
        replaceTemporaryKeys(renamed, savedObjects: save)
        save.changes.forEach(at: save.updated) { object in
            if let cells = object.cells { cells.setVersion(cells.version + 1) }
        }
        for list in save.lists { list.finishSaving() }
        save.changes.forEach { object, _ in object.state.remove(.saving) }
        // While they still have a context, and say that they are deleted.
        if isPlain.contains(false) {
            for object in save.changes.objects(at: save.deleted) where object.state.contains(.deleted) { object.didSave() }
        }
        save.changes.forEach(at: save.deleted) { acceptDeletion($0) }
        for deletion in save.memberDeletions { acceptDeletion(of: deletion) }
        assignedStores = assignedStores.filter { temporaries.object(-$0.key) != nil }
        takeDerivedValues(receipt.derived)
        finish(save, derived: receipt.derived)
        // Not in their place among the context's own: objects that go now ask these.
        save.changes.forgetSaved()
        if changes.isEmpty { changes = save.changes }
    }

    private func acceptDeletion(_ object: ManagedObject) {
        if object.state.contains(.deleted) {
            changes.remove(object)
            unregister(object)
            object.state = []
        } else {
            // Undo brought it back while the store deleted it: it is new again.
            object.state.remove(.updated)
            object.state.insert(.inserted)
            if object.recordIndex < 0 { changes.insert(object) }
        }
    }

    func putBack() {
        guard let save = saveUnderWay else { return }
        saveUnderWay = nil
        save.takeBackRows()
        for list in save.lists { list.cancelSaving() }
        let newer = changes
        newer.forEach { object, _ in object.recordIndex = -1 }
        changes = save.changes
        save.changes.forEach { object, index in
            object.recordIndex = Int32(index)
            object.state.remove(.saving)
        }
        for places in save.inserted {
            save.changes.forEach(at: places) { object in
                object.state.insert(.inserted)
                // What was counted as a difference from this save is none: the object is new as a whole.
                for relation in shapes[Int(object.entityIndex)].toManys { object.existingList(relation)?.forgetDifferences() }
            }
        }
        save.changes.forEach(at: save.updated + save.unchanged) { object in
            if !object.state.contains(.deleted) { object.state.insert(.updated) }
        }
        postponeMemberDeletions(save.memberDeletions)
        merge(newer)
    }

    /// Changes that were made while a save was under way, on top of those that it did not write.
    private func merge(_ newer: ChangeRecords) {
        for index in newer.indices {
            guard let object = newer.object(at: index) else { continue }
            if object.recordIndex < 0 { changes.insert(object) }
            let place = Int(object.recordIndex)
            for property in newer.changed(at: index).places {
                let isFirst = changes.touch(place, property: property).sinceSave
                if isFirst, !object.state.contains(.inserted), let value = newer.savedValue(of: index, property: property) {
                    changes.keepSaved(value, of: place, property: property)
                }
            }
            if object.state.contains(.inserted) {
                object.state.remove(.updated)
                if object.state.contains(.deleted) {
                    changes.remove(object)
                    unregister(object)
                }
            }
        }
    }

    /// - Parameter derived: objects whose derived values the save has changed.
    private func finish(_ save: SaveUnderWay, derived: RowBatch) {
        if isPlain.contains(false) {
            for index in save.changes.indices { if let object = save.changes.object(at: index), object.contextReference != nil { object.didSave() } }
        }
        let source = parent?.followers ?? persistentStoreCoordinator.followers
        let isFollowed = !source.isEmpty
        guard isFollowed || isObserved(.didSave) else { return }
        var notification = ContextNotification(.didSave, self)
        for places in save.inserted { notification.inserted.formUnion(save.changes.objects(at: places)) }
        notification.updated = Set(save.changes.objects(at: save.updated))
        for index in 0..<derived.count {
            let reference = ObjectReference(key: derived[index].key, entityIndex: derived[index].entityIndex)
            let isNew = registered(reference).map(notification.inserted.contains) ?? false
            if !isNew { notification.derived.insert(objectID(key: reference.key, entityIndex: reference.entityIndex)) }
        }
        // What was gone already was deleted by somebody else.
        notification.deleted = Set(save.changes.objects(at: save.deleted).filter { !save.goneBefore.contains($0) })
        if isFollowed { source.post(notification.changes, from: inbox) }
        post(notification)
    }
}
