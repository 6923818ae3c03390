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
            throw GraphError(.abstractEntity, "\(entity.name) is abstract and has no objects of its own: insert one of its sub-entities", entity: entity.name)
        }
        let object = shapes[entity.index].objectClass.init(registry.makeSeed(entity.index))
        tracker.didInsert(object)
        return object
    }

    /// Marks an object as deleted. Its relationships' delete rules run at ``processPendingChanges()`` or at the save, which removes it from the store.
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
