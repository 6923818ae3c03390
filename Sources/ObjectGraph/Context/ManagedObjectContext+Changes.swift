import RowMemory
public import Schema

extension ManagedObjectContext {
    /// Inserts a new object of the entity called `name`, with the model's defaults.
    /// - Throws: ``GraphError`` with code `unknownEntity` or `abstractEntity`.
    @discardableResult
    public func insert(_ name: String) throws -> ManagedObject {
        guard let entity = model.entity(named: name) else { throw GraphError.unknownEntity(name, in: model) }
        return try insert(entity)
    }

    /// Inserts a new object of `entity`, with the model's defaults.
    ///
    /// Costs a fraction of a microsecond; nothing is written before the save.
    /// - Throws: ``GraphError`` with code `unknownEntity` or `abstractEntity`.
    @discardableResult
    public func insert(_ entity: Entity) throws -> ManagedObject {
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

    /// Marks an object as deleted. Its relationships' delete rules run at
    /// ``processPendingChanges()`` or at the save, which removes it from the store.
    ///
    /// An object that was never saved is just forgotten. Traps if the object is of another context.
    public func delete(_ object: ManagedObject) {
        guard let context = object.managedObjectContext else { return }
        precondition(context === self, "An object is deleted by its own context")
        object.prepareForDeletion()
        deletions.markDeleted(object)
    }

    /// Whether anything waits to be saved.
    public var hasChanges: Bool { changes.count > 0 || saveUnderWay != nil }

    /// New objects that were not saved yet. Costs as much as there are changes.
    public var insertedObjects: Set<ManagedObject> { changedObjects { $0.isInserted } }
    /// Saved objects that were changed since. Costs as much as there are changes.
    public var updatedObjects: Set<ManagedObject> { changedObjects { $0.isUpdated } }
    /// Saved objects that were deleted since. Costs as much as there are changes.
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
    /// Takes back the last group of changes; see ``undoManager``. Does nothing without a manager.
    public func undo() { undoManager?.undo() }

    /// Makes again what was undone last. Does nothing without a manager.
    public func redo() { undoManager?.redo() }

    /// Where the edits stand; nil while changes are pending that no event has ended yet.
    package var editPosition: EditPosition? {
        changes.hasEvent || !tracker.eventLog.isEmpty || pendingDeletions.areWaiting
            ? nil : tracker.edits.position(undoManager)
    }

    /// Counts a change that lies outside the objects and that undo does not know of.
    package func noteUnrecordedEdit() { tracker.edits.noteUnrecorded() }

    /// Runs `body`, whose changes to objects are no edits: they are saved with the next edit, can't
    /// be undone, and don't move the position.
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
    /// Drops all changes: new objects are forgotten, deleted ones are back, values are the saved
    /// ones. Undo forgets everything. Reads nothing.
    ///
    /// While a save is being written elsewhere, as a document's are, this acts as if it came after
    /// the save: what was changed since the save began is dropped at once, what the save writes
    /// stays, and where the save fails that is dropped too, unless there are new changes by then.
    /// `revert()` of a document gives up autosaved work as well.
    public func rollback() { rollbacks.rollBack() }

    /// Forgets every object and change. Objects that are still held have no context any more, and
    /// no values: keep object IDs.
    ///
    /// A save that is being written elsewhere meanwhile, as a document's are, goes on: it writes
    /// what it has taken, or, where it fails, nothing.
    public func reset() { rollbacks.reset() }

    /// Makes an object show the store's values at its next use.
    ///
    /// - Parameter mergeChanges: whether unsaved changes stay, on top of what the store has now;
    ///   they are dropped otherwise, and the other ends of its relationships stay as
    /// they are: refresh these too. A new object keeps its values either way.
    ///
    /// A deletion that is merged is made again, of what the store has now, if somebody else changed
    /// it; undo forgets every group that concerns what is deleted then. Never fails: where the
    /// store can't be read the object stays as it is, and the next save throws why.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        merging.refresh(object, mergeChanges: mergeChanges)
    }

    /// Makes all objects without changes faults again, and brings the others up to date under their
    /// changes.
    public func refreshAllObjects() { merging.refreshAllObjects() }

    /// Deletes what the store has no more, as if somebody else had saved that: after another state
    /// has taken its place. Reads the rows of all objects without changes; where that fails they
    /// are as they were.
    package func forgetMissingObjects() { merging.forgetMissingObjects() }
}
