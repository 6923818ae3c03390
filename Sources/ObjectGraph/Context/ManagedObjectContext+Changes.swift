import RowMemory
public import Schema

extension ManagedObjectContext {
    /// Inserts a new object of the entity with this name, with the model's default values.
    ///
    /// - Throws: ``GraphError`` with code `unknownEntity` or `abstractEntity`.
    @discardableResult
    public func insert(_ name: String) throws -> ManagedObject {
        guard let entity = model.entity(named: name) else { throw GraphError.unknownEntity(name, in: model) }
        return try maker.insert(entity)
    }

    /// Inserts a new object of an entity, with the model's default values.
    ///
    /// Nothing is written before the context is saved.
    ///
    /// - Throws: ``GraphError`` with code `unknownEntity` or `abstractEntity`.
    @discardableResult
    public func insert(_ entity: EntityDescription) throws -> ManagedObject {
        try maker.insert(entity)
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

    /// Determines the store in which a new object will be saved. By default this is the first
    /// writable store whose configuration contains the object's entity.
    ///
    /// ```swift
    /// let employee = try context.insert("Employee")
    /// try context.assign(employee, to: archive)
    /// ```
    /// Related objects must be in the same store when the object is saved.
    ///
    /// - Throws: ``GraphError`` with code `alreadySaved` for an object with a permanent ID,
    ///   `foreignObject` for an object of another context; ``StorageError`` with code
    ///   `unknownObject` if the coordinator does not have the store, `unsupported` if the
    ///   configuration of the store lacks the entity, `readOnly`.
    public func assign(_ object: ManagedObject, to store: PersistentStore) throws {
        try assignment.assign(object, to: store)
    }

    /// Whether there are unsaved changes.
    public var hasChanges: Bool { changes.count > 0 || saveUnderWay != nil }

    /// The new objects that are not saved yet. The set is built by each call, in time linear in the
    /// number of changes.
    public var insertedObjects: Set<ManagedObject> { changes.objects { $0.isInserted } }
    /// The saved objects with unsaved changes. The set is built by each call, in time linear in the
    /// number of changes.
    public var updatedObjects: Set<ManagedObject> { changes.objects { $0.isUpdated } }
    /// The saved objects that are marked for deletion. The set is built by each call, in time
    /// linear in the number of changes.
    public var deletedObjects: Set<ManagedObject> { changes.objects { $0.isDeleted && !$0.state.contains(.inserted) } }
}

extension ManagedObjectContext {
    /// Undoes the last group of changes; see ``undoManager``. Does nothing without an undo manager.
    public func undo() { undoManager?.undo() }

    /// Redoes the group that was undone last. Does nothing without an undo manager.
    public func redo() { undoManager?.redo() }

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
}
