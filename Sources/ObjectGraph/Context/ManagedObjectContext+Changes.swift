import RowMemory
public import Schema

extension ManagedObjectContext {
    /// Inserts a new object of the entity with this name, with the model's default values.
    ///
    /// - Throws: ``GraphError`` with code `unknownEntity` or `abstractEntity`.
    @discardableResult
    public func insert(_ name: String) throws -> ManagedObject {
        guard let entity = model.entity(named: name) else { throw GraphError.unknownEntity(name, in: model) }
        return try insert(entity)
    }

    /// Inserts a new object of an entity, with the model's default values.
    ///
    /// Nothing is written before the context is saved.
    ///
    /// - Throws: ``GraphError`` with code `unknownEntity` or `abstractEntity`.
    @discardableResult
    public func insert(_ entity: EntityDescription) throws -> ManagedObject {
        guard entity.modelNumber == registry.modelNumber else { return try insert(entity.name) }
        guard !entity.isAbstract else {
            throw GraphError(
                .abstractEntity,
                "\(entity.name) is abstract and has no objects of its own: insert one of its sub-entities",
                entity: entity.name)
        }
        let object = shapes[entity.index].objectClass.init(registry.makeSeed(entity.index))
        tracker.didInsert(object)
        return object
    }

    /// Marks an object for deletion. The delete rules of its relationships are applied by
    /// ``processPendingChanges()`` or by the save, which deletes the object from the store.
    ///
    /// An object that was never saved is removed from the context. Traps if the object belongs to
    /// another context.
    public func delete(_ object: ManagedObject) {
        guard let context = object.managedObjectContext else { return }
        precondition(context === self, "An object is deleted by its own context")
        object.prepareForDeletion()
        deletions.markDeleted(object)
    }

    /// Whether there are unsaved changes.
    public var hasChanges: Bool { changes.count > 0 || saveUnderWay != nil }

    /// The new objects that are not saved yet. The set is built by each call, in time linear in the
    /// number of changes.
    public var insertedObjects: Set<ManagedObject> { changedObjects { $0.isInserted } }
    /// The saved objects with unsaved changes. The set is built by each call, in time linear in the
    /// number of changes.
    public var updatedObjects: Set<ManagedObject> { changedObjects { $0.isUpdated } }
    /// The saved objects that are marked for deletion. The set is built by each call, in time
    /// linear in the number of changes.
    public var deletedObjects: Set<ManagedObject> { changedObjects { $0.isDeleted && !$0.state.contains(.inserted) } }

    private func changedObjects(_ isIncluded: (ManagedObject) -> Bool) -> Set<ManagedObject> {
        var objects: Set<ManagedObject> = []
        changes.forEach { object, _ in
            if isIncluded(object) { objects.insert(object) }
        }
        return objects
    }
}

extension ManagedObjectContext {
    /// Undoes the last group of changes; see ``undoManager``. Does nothing without an undo manager.
    public func undo() { undoManager?.undo() }

    /// Redoes the group that was undone last. Does nothing without an undo manager.
    public func redo() { undoManager?.redo() }

    /// The position in the edit history; nil while there are pending changes of an event that has
    /// not ended.
    package var editPosition: EditPosition? {
        changes.hasEvent || !tracker.eventLog.isEmpty || pendingDeletions.arePending
            ? nil : tracker.edits.position(undoManager)
    }

    /// Records an edit outside the objects, which undo does not know of.
    package func noteUnrecordedEdit() { tracker.edits.noteUnrecorded() }

    /// Runs `body`, whose changes to objects do not count as edits: they are saved with the next
    /// edit, can't be undone, and don't change the edit position.
    package func withoutEditing<Result>(_ body: () throws -> Result) rethrows -> Result {
        processPendingChanges()
        let history = tracker.edits
        undoManager?.disableUndoRegistration()
        defer {
            processPendingChanges()
            undoManager?.enableUndoRegistration()
            tracker.edits = history
        }
        return try body()
    }
}

extension ManagedObjectContext {
    /// Discards all unsaved changes: new objects are removed, deleted objects are restored, and
    /// values are those of the last save. All undo groups are discarded. Reads nothing from the
    /// store.
    ///
    /// While a save is being written in the background, as by a document, the rollback takes effect
    /// as if it came after that save: later changes are discarded at once, and changes of the save
    /// stay. If the save fails, its changes are discarded, too, unless there are new changes by
    /// then. To discard autosaved work of a document as well, call `revert()` of the document.
    public func rollback() { rollbacks.rollBack() }

    /// Removes all objects and changes from the context. Objects that are still referenced have no
    /// context and no values afterwards; keep their IDs instead.
    ///
    /// A save that is being written in the background, as by a document, continues; if it fails,
    /// its changes are lost.
    public func reset() { rollbacks.reset() }

    /// Discards the cached values of an object, so that they are read from the store at the next
    /// use. This does not throw: if the store can't be read, the object is unchanged and the next
    /// save throws.
    ///
    /// - Parameter mergeChanges: If true, unsaved changes are kept and applied to the new values.
    ///   If false, they are discarded, but the inverses of changed relationships are not reset:
    ///   refresh the objects there, too. A new object keeps its values in either case.
    ///
    /// If the object is marked for deletion and was changed in the store, the deletion is applied
    /// again to the current state, and undo groups that concern the deleted objects are discarded.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        merging.refresh(object, mergeChanges: mergeChanges)
    }

    /// Turns all objects without changes into faults, and refreshes the others while keeping their
    /// changes.
    public func refreshAllObjects() { merging.refreshAllObjects() }

    /// Deletes objects that no longer exist in the store, as if another context had saved the
    /// deletion. Used after the content of the store was replaced. Reads the rows of all objects
    /// without changes; if that fails, the objects are unchanged.
    package func forgetMissingObjects() { merging.forgetMissingObjects() }
}
