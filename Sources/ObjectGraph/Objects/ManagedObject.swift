public import Query
public import RowMemory
import Schema

/// The data that a context passes to the initializer of an object. Subclasses that override the
/// initializer pass it to super.
public struct ManagedObjectSeed {
    // Unmanaged: the creator retains both until the object exists, and reference counting would
    // take a tenth of the total time.
    let registry: Unmanaged<ObjectRegistry>
    let slab: Unmanaged<RowSlab>?
    let cells: RowCells?
    let entityIndex: Int
    let key: Int64
    let state: ObjectState

    init(
        _ registry: ObjectRegistry, entityIndex: Int, key: Int64, _ slab: RowSlab?, _ cells: RowCells?,
        _ state: ObjectState
    ) {
        self.registry = .passUnretained(registry)
        self.slab = slab.map { .passUnretained($0) }
        self.cells = cells
        self.entityIndex = entityIndex
        self.key = key
        self.state = state
    }
}

/// An object of a context, with values that are read from the store on demand.
///
/// ```swift
/// let book = try context.insert("Book")
/// book["title"] = "Middlemarch"
/// try context.save()
/// ```
/// An object belongs to its context and must be used in its isolation domain. It is equal only to
/// itself. Subclasses are named by ``EntityDefinition/managedObjectClassName`` and registered with
/// the coordinator. They override hooks such as ``awakeFromInsert()``; their initializers must not
/// depend on values of the object.
open class ManagedObject {
    // The fields and the object header take 56 bytes, for which the allocator uses 64. One more
    // byte would cost 16 bytes for each object.
    //
    // Accesses never overlap: each is a single load or store, and no field is passed inout. So
    // exclusivity checks are not necessary.
    @exclusivity(unchecked) final var slab: RowSlab?
    @exclusivity(unchecked) @usableFromInline final var cells: RowCells?
    // Unmanaged, because the context retains its registry. The registry clears this when the
    // context is released, and the object's deinit does not use it afterwards.
    @exclusivity(unchecked) @usableFromInline final var registryReference: Unmanaged<ObjectRegistry>?
    @exclusivity(unchecked) final var key: Int64
    /// The index of the object's record in the context's changes; −1 without one.
    @exclusivity(unchecked) @usableFromInline final var recordIndex: Int32 = -1
    @exclusivity(unchecked) @usableFromInline final var entityIndex: UInt16
    @exclusivity(unchecked) @usableFromInline final var state: ObjectState
    /// Whether the object uses a row of ``MemberRows``, which keep the row after the object is
    /// released.
    @exclusivity(unchecked) final var isListed = false

    /// Creates an instance; called by contexts only. Use ``init(context:)`` or
    /// `ManagedObjectContext.insert(_:)` to create an object.
    public required init(_ seed: ManagedObjectSeed) {
        slab = seed.slab?.takeUnretainedValue()
        cells = seed.cells
        registryReference = seed.registry
        key = seed.key
        entityIndex = UInt16(seed.entityIndex)
        state = seed.state
    }

    deinit {
        registryReference?._withUnsafeGuaranteedRef { $0.forget(self) }
        releaseMembers()
    }

    // MARK: Hooks

    /// Called once after the object was inserted, with its default values set.
    open func awakeFromInsert() {}
    /// Called after the values of the object were read from the store. Changes made here are not
    /// recorded and don't update inverses.
    open func awakeFromFetch() {}
    /// Called after undo, redo, rollback, refresh or a merge policy changed the state of the
    /// object.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}
    /// Called by each save before validation. Changes made here are saved, too, and cause another
    /// call.
    open func willSave() {}
    /// Called after a save has succeeded. Changes made here are unsaved. A deleted object
    /// (``isDeleted``) has its values for the last time.
    open func didSave() {}
    /// Called by each ``ManagedObjectContext/delete(_:)``, before delete rules are applied.
    open func prepareForDeletion() {}
    /// Called before the object becomes a fault, while it still has its values.
    open func willTurnIntoFault() {}
    /// Called after the object became a fault.
    open func didTurnIntoFault() {}

    /// Validates the object before the save that inserts it. Overrides call super, and throw a
    /// ``ValidationError`` or another error.
    open func validateForInsert() throws { try validator.validateProperties() }
    /// Validates the object before a save that updates it. Overrides call super, and throw a
    /// ``ValidationError`` or another error.
    ///
    /// ```swift
    /// override func validateForUpdate() throws {
    ///     try super.validateForUpdate()
    ///     if self["year"] == nil { throw ValidationError(.generic, "A book has a year", key: "year") }
    /// }
    /// ```
    open func validateForUpdate() throws { try validator.validateProperties() }
    /// Validates the object before the save that deletes it: whether a delete rule denies it.
    /// Overrides call super, and throw a ``ValidationError`` or another error.
    open func validateForDelete() throws { try validator.validateDeletion() }

    /// The entity that the class declares, as `@Model` generates it; nil for classes whose entity
    /// is declared by a model file.
    open class var _schemaEntity: _SchemaEntity? { nil }

    /// The names of the properties by their key paths, for queries with key paths. `@Model` and
    /// code generation provide it; other classes override it:
    ///
    /// ```swift
    /// override class var namesByKeyPath: [AnyKeyPath: String] { [\Book.title: "title", \Book.author: "author"] }
    /// ```
    open class var namesByKeyPath: [AnyKeyPath: String] { declaredNamesByKeyPath }

    /// The keys for which a save calls ``validateValue(_:forKey:)``. Classes that override that
    /// method list their keys here.
    open class var customValidatedKeys: [String] { [] }

    /// Validates one value against the rules of the model. Overrides call super and add their own
    /// rules, for the keys in ``customValidatedKeys``.
    open func validateValue(_ value: Any?, forKey key: String) throws {
        try validator.validateAgainstModel(value, forKey: key)
    }

    // MARK: Values by key

    /// The value of a property; fires a fault.
    ///
    /// Attributes have their Swift types: integers of every width are `Int`, and binary data with
    /// external storage is ``LargeValue``. A to-one relationship is a ``ManagedObject``, a to-many
    /// relationship `Set<ManagedObject>`, and an ordered relationship or a fetched property
    /// `[ManagedObject]`. Nil for an object without a context. Traps if the entity has no such
    /// property; ``KeyPathNaming/propertyValue(forKey:)`` throws instead.
    open func value(forKey key: String) -> Any? { keyed.value(forKey: key) }

    /// Sets a property and, for a relationship, its inverse.
    ///
    /// Numbers of any type are accepted if the attribute can represent them. A to-many relationship
    /// takes a set or an array of objects, an ordered relationship an array. Traps if the entity
    /// has no such property, or the value has a wrong type;
    /// ``KeyPathNaming/setPropertyValue(_:forKey:)`` throws instead.
    open func setValue(_ value: Any?, forKey key: String) { keyed.setValue(value, forKey: key) }

    /// The value of an attribute or a to-one relationship, without firing a fault and without
    /// calling hooks; nil for a fault.
    open func primitiveValue(forKey key: String) -> Any? { keyed.primitiveValue(forKey: key) }

    /// Sets an attribute or a to-one relationship without recording a change: the inverse is not
    /// updated, undo does not know of it, and observers are not notified. Between
    /// ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)``, it is a change like any other.
    open func setPrimitiveValue(_ value: Any?, forKey key: String) {
        keyed.setPrimitiveValue(value, forKey: key)
    }

    /// Fires the fault if the object is one. Call it before reading a primitive value. `key` is not
    /// used.
    open func willAccessValue(forKey key: String?) { _ = fillForReading() }

    /// Call it after reading a primitive value. Does nothing.
    open func didAccessValue(forKey key: String?) {}

    /// Records that an attribute or a to-one relationship is about to change. Call it before
    /// ``setPrimitiveValue(_:forKey:)``: the value is then saved and can be undone. Does nothing
    /// for other keys.
    open func willChangeValue(forKey key: String) { keyed.noteChange(forKey: key) }

    /// Call it after setting a primitive value. Does nothing.
    open func didChangeValue(forKey key: String) {}

    /// The object as text for debugging.
    open var description: String { summary }
}

/// The causes of a call of ``ManagedObject/awake(fromSnapshotEvents:)``.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// An insertion was undone.
    public static let undoInsertion = SnapshotEvents(rawValue: 2)
    /// A deletion was undone.
    public static let undoDeletion = SnapshotEvents(rawValue: 4)
    /// An update was undone.
    public static let undoUpdate = SnapshotEvents(rawValue: 8)
    /// Unsaved changes were rolled back.
    public static let rollback = SnapshotEvents(rawValue: 16)
    /// The object was refreshed.
    public static let refresh = SnapshotEvents(rawValue: 32)
    /// A merge policy changed the object.
    public static let mergePolicy = SnapshotEvents(rawValue: 64)
}

extension ManagedObject: KeyPathNaming {}

extension ManagedObject: Hashable {
    public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension ManagedObject: CustomStringConvertible {}
