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
        register(object)
        record(object)
        if recordsUndo { log(.inserted(object)) }
        if !isPlain[Int(object.entityIndex)] { object.awakeFromInsert() }
    }

    /// Whether undo is to learn of what is done now.
    var logsChanges: Bool {
        recordsUndo && untrackedDepth == 0 && undoReference?._withUnsafeGuaranteedRef { $0.isUndoRegistrationEnabled } == true
    }

    func log(_ change: @autoclosure () -> Change) {
        if logsChanges { eventLog.append(change()) }
    }

    /// Notes that a slot is about to change: keeps the value for rollback, conflicts and undo, moving it out of the row. The object is realised.
    func willWrite(_ object: ManagedObject, _ slot: RowSlot) {
        noteChange(object, Int(slot.index))
        leaveLentRow(object)
        if object.state.isFree || untrackedDepth > 0 { return }
        guard let first = touch(object, Int(slot.index)), first.sinceSave || first.inEvent, slot.kind != .toMany else { return }
        let needsSaved = first.sinceSave && !object.state.contains(.inserted)
        let needsUndo = first.inEvent && logsChanges
        guard needsSaved || needsUndo, let cells = object.cells else { return }
        let old = cells.moveSlotValue(slot)
        if needsUndo { eventLog.values.append(ValueChange(object: object, value: old, property: Int32(slot.index))) }
        if needsSaved { changes.keepSaved(old, of: Int(object.recordIndex), property: Int(slot.index)) }
    }

    /// Gives an object whose row a store is reading a copy of it, which can be changed. To be called before anything is written to the row of an object that a save may be
    /// writing.
    @inline(__always) func leaveLentRow(_ object: ManagedObject) {
        if object.state.contains(.saving) { copyLentRow(of: object) }
    }

    private func copyLentRow(of object: ManagedObject) {
        // A row of a list is never lent, though others of its slab may be; and an object that left it would have to be taken out of the list.
        guard !object.isListed, let slab = object.slab, slab.isLent, let cells = object.cells else { return }
        let copy = nursery.makeRow(shapes[Int(object.entityIndex)].layout, copying: cells)
        object.slab = copy.slab
        object.cells = copy.cells
    }

    /// Makes the object one with changes, and notes that a property changes. Nil where nothing is recorded.
    @discardableResult
    func touch(_ object: ManagedObject, _ property: Int) -> (sinceSave: Bool, inEvent: Bool)? {
        if object.state.isFree || untrackedDepth > 0 || object.contextReference == nil { return nil }
        if object.recordIndex < 0 { recordUpdate(object) }
        return changes.touch(Int(object.recordIndex), property: property)
    }

    /// Makes an object one with changes, of which a property is to change.
    @inline(__always) func recordUpdate(_ object: ManagedObject) {
        record(object)
        if object.state.isDisjoint(with: [.inserted, .deleted]) { object.state.insert(.updated) }
    }

    /// Makes the object one with changes.
    func record(_ object: ManagedObject) {
        if changes.isEmpty { firstChangeHandler?() }
        changes.insert(object)
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
