import RowMemory
public import Schema
import Storage

extension PropertySet {
    /// Adds a place; false if it was there.
    mutating func insertNew(_ index: Int) -> Bool {
        if contains(index) { return false }
        insert(index)
        return true
    }
}

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
        guard entity.modelNumber == modelNumber else { return try insert(entity.name) }
        guard !entity.isAbstract else {
            throw GraphError(.abstractEntity, "\(entity.name) is abstract and has no objects of its own: insert one of its sub-entities", entity: entity.name)
        }
        let object = shapes[entity.index].objectClass.init(seedForInsertion(entity.index))
        didInsert(object)
        return object
    }

    func entityIndex(of objectClass: ManagedObject.Type) -> Int {
        let found = shapes.indices.filter { shapes[$0].objectClass == objectClass && !shapes[$0].entity.isAbstract }
        precondition(
            found.count == 1,
            "\(objectClass) is the class of \(found.count) entities: register it for one, or use init(entity:insertInto:)")
        return found[0]
    }

    func seedForInsertion(_ entityIndex: Int) -> ManagedObjectSeed {
        let shape = shapes[entityIndex]
        let key = temporaryKeys.next()
        let row = nursery.makeRow(shape.layout, key: key)
        for (slot, value) in shape.defaults { _ = row.setValue(value, slot) }
        // The nursery holds the slab until another row is made.
        return ManagedObjectSeed(self, entityIndex: entityIndex, key: key, row.slab, row.cells, [.inserted, .free])
    }

    func didInsert(_ object: ManagedObject) {
        registry.register(object)
        recorder.record(object)
        if recordsUndo { recorder.log(.inserted(object)) }
        if !isPlain[Int(object.entityIndex)] { object.awakeFromInsert() }
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
