import RowMemory
public import Schema

extension ManagedObject {
    /// The context that the object belongs to. Nil after the object was deleted and saved, after
    /// its insertion was rolled back or undone, and after the context was reset or released.
    ///
    /// Without a context an object has no values: attributes and to-one relationships are nil (or
    /// the placeholder of a property that is not optional), to-many relationships are empty.
    /// Setting a value traps; ``objectID`` and ``entity`` are as before.
    @_disfavoredOverload
    public final var managedObjectContext: ManagedObjectContext? {
        registryReference?._withUnsafeGuaranteedRef { $0.context }
    }

    /// The context that the object belongs to; nil without one.
    package final var owningContext: ManagedObjectContext? {
        registryReference?._withUnsafeGuaranteedRef { $0.context }
    }

    /// The context of an object that must have one.
    final var context: ManagedObjectContext { knownRegistry._withUnsafeGuaranteedRef { $0.context } }

    /// The registry of an object that must have one.
    final var registry: ObjectRegistry { knownRegistry.takeUnretainedValue() }

    /// Tells the tracker that a slot is about to change, without retaining the context. The object
    /// must not be a fault.
    final func noteWriting(_ slot: RowSlot) {
        knownRegistry._withUnsafeGuaranteedRef { $0.withContext { $0.tracker.willWrite(self, slot) } }
    }

    private final var knownRegistry: Unmanaged<ObjectRegistry> {
        guard let registryReference else {
            preconditionFailure(
                "This object has no context any more: it was deleted and saved, its insertion was taken back, or its context was reset or released. Keep its objectID and fetch it again"
            )
        }
        return registryReference
    }

    /// The object's reference, as rows store it.
    final var reference: ObjectReference { ObjectReference(key: key, entityIndex: Int(entityIndex)) }

    /// Whether the class of the object is `ManagedObject` itself, so that hooks do nothing.
    final var isPlain: Bool {
        registryReference?._withUnsafeGuaranteedRef { $0.isPlain[Int(entityIndex)] } == true
    }

    final var shape: EntityShape { knownRegistry._withUnsafeGuaranteedRef { $0.shapes[Int(entityIndex)] } }

    /// The entity of the object, also without a context.
    @_disfavoredOverload
    public final var entity: EntityDescription { formerHome?.entity(self) ?? shape.entity }

    /// Where the object was, if it is in no context any more.
    private final var formerHome: FormerHome? {
        registryReference == nil ? slab?.formerHome as? FormerHome : nil
    }

    /// The ID of the object, also without a context. It is temporary until the object is first
    /// saved.
    public final var objectID: ManagedObjectID {
        formerHome?.objectID(self) ?? context.lookup.objectID(key: key, entityIndex: Int(entityIndex))
    }

    /// Whether the object is new and not saved yet.
    public final var isInserted: Bool {
        state.contains(.inserted) && !state.contains(.deleted) && owningContext?.holdsDetachedObjects != true
    }
    /// Whether the object was saved before and has unsaved changes.
    public final var isUpdated: Bool { state.contains(.updated) && !state.contains(.deleted) }
    /// Whether the object is marked for deletion, and the deletion is not saved yet.
    public final var isDeleted: Bool {
        noteReadingOfState()
        return state.contains(.deleted)
    }
    /// Whether the values of the object have not been read yet.
    public final var isFault: Bool {
        noteReadingOfState()
        return state.isFault
    }
    /// Whether the object is inserted, updated or deleted; true also if its values are equal to the
    /// saved ones again.
    public final var hasChanges: Bool { !state.isDisjoint(with: [.inserted, .updated, .deleted]) }

    /// The row of an object that is not a fault.
    final var row: Row {
        guard let slab, let cells else { preconditionFailure("A fault has no row: fill it first") }
        return Row(slab: slab, cells: cells)
    }

    final var optionalRow: Row? {
        guard let slab, let cells else { return nil }
        return Row(slab: slab, cells: cells)
    }

    final func attach(_ row: Row) {
        releaseMembers()
        isListed = false
        slab = row.slab
        cells = row.cells
        entityIndex = UInt16(row.entityIndex)
    }

    /// Whether a fetch that finds this version in the store can skip the row: it is present, or the
    /// object is filled and keeps its values anyway.
    final func hasValues(version: Int64) -> Bool {
        guard let cells else { return false }
        return !state.isFault || cells.version == version
    }

    /// Releases the row and the members of its relationships.
    final func detachRow() {
        releaseMembers()
        isListed = false
        slab = nil
        cells = nil
        if key > 0 {
            registryReference?._withUnsafeGuaranteedRef {
                $0.identities[$0.rootIndex(Int(entityIndex))].forgetValues(key)
            }
        }
    }

    /// Releases the members of to-many relationships. Otherwise the slab would retain them for as
    /// long as another object uses it.
    final func releaseMembers() {
        guard let cells, let slab, slab.layout.hasToMany else { return }
        let row = Row(slab: slab, cells: cells)
        for slot in row.layout.managedSlots where slot.kind == .toMany { row.clear(slot) }
    }
}

extension ManagedObject {
    /// Creates an object of an entity and inserts it into a context, with the model's default
    /// values.
    ///
    /// Traps if the entity is abstract or not part of the context's model;
    /// ``ManagedObjectContext/insert(_:)-(EntityDescription)`` throws instead.
    public convenience init(entity: EntityDescription, insertInto context: ManagedObjectContext) {
        let index =
            entity.modelNumber == context.model.number ? entity.index : context.model.entity(named: entity.name)?.index
        guard let index, !entity.isAbstract else {
            preconditionFailure(
                "\(entity.name) is abstract or not of the context's model: insert an object of a concrete entity of context.model"
            )
        }
        self.init(context.registry.makeSeed(index))
        context.tracker.didInsert(self)
    }

    /// Creates an object and inserts it into a context, with the model's default values. Its entity
    /// is the one that this class is registered for; traps if there is not exactly one.
    ///
    /// ```swift
    /// let book = Book(context: context)
    /// ```
    public convenience init(context: ManagedObjectContext) {
        self.init(context.registry.makeSeed(context.registry.entityIndex(of: Self.self)))
        context.tracker.didInsert(self)
    }
}
