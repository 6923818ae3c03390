public import Query
public import RowMemory
import Schema

/// What a context hands to the initializer of a new instance. Subclasses pass it on and look no
/// further.
public struct ManagedObjectSeed {
    // Not counted: whoever makes an object holds both until it is made, and a count of each would
    // be a tenth of the whole.
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

/// An object of a context: an identity, and values that are read when they are needed.
///
/// ```swift
/// let book = try context.insert("Book")
/// book["title"] = "Middlemarch"
/// try context.save()
/// ```
/// An object belongs to its context and is used where the context is used. It is equal to itself
/// alone. Subclasses are named by the model's `managedObjectClassName` and registered with the
/// coordinator; they override the hooks, and don't initialize anything that depends on values.
open class ManagedObject {
    // The fields take 56 bytes with the object's header, so that the allocator gives 64; every byte
    // more would cost 16 for each object there is.
    //
    // No access to them overlaps another: each is a single load or store, never passed on as inout.
    // That is why exclusivity needs no checks.
    @exclusivity(unchecked) final var slab: RowSlab?
    @exclusivity(unchecked) @usableFromInline final var cells: RowCells?
    // Not counted, since a context keeps its registry: the registry clears it when the context
    // goes, and in the object's deinit it is not used afterwards.
    @exclusivity(unchecked) @usableFromInline final var registryReference: Unmanaged<ObjectRegistry>?
    @exclusivity(unchecked) final var key: Int64
    /// The place of the object's record in the context's changes, −1 without one.
    @exclusivity(unchecked) @usableFromInline final var recordIndex: Int32 = -1
    @exclusivity(unchecked) @usableFromInline final var entityIndex: UInt16
    @exclusivity(unchecked) @usableFromInline final var state: ObjectState
    /// Whether the object stands on a row of ``MemberRows``, which goes on without it.
    @exclusivity(unchecked) final var isListed = false

    /// Used by contexts alone.
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

    /// Called once when the object was inserted, with its defaults in place.
    open func awakeFromInsert() {}
    /// Called when the object was filled from the store. Changes made here are not recorded and
    /// don't reach the other ends of relationships.
    open func awakeFromFetch() {}
    /// Called by undo, redo, rollback and refresh after they changed what the object is.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}
    /// Called by each save before validation; changes made here are saved, and lead to another
    /// call.
    open func willSave() {}
    /// Called when a save has succeeded; changes made here are new ones. An object that the save
    /// deleted says so (``isDeleted``) and has its values for the last time.
    open func didSave() {}
    /// Called by ``ManagedObjectContext/delete(_:)``, each time, before any delete rule runs.
    open func prepareForDeletion() {}
    open func willTurnIntoFault() {}
    open func didTurnIntoFault() {}

    /// Checks the object before the save that inserts it. Overrides call super and throw a
    /// ``ValidationError`` or an error of their own.
    open func validateForInsert() throws { try validateProperties() }
    /// Checks the object before a save that changes it.
    open func validateForUpdate() throws { try validateProperties() }
    /// Checks the object before the save that deletes it: whether a relationship denies it.
    open func validateForDelete() throws { try validateDeletion() }

    /// The entity that the class declares; nil for classes of entities that a model file declares.
    /// `@Model` overrides it.
    open class var schemaEntity: SchemaEntity? { nil }

    /// The names of properties by their key paths, for queries in key paths. Classes with `@Model`
    /// and generated ones know them; by hand it is a list:
    ///
    /// ```swift
    /// override class var namesByKeyPath: [AnyKeyPath: String] { [\Book.title: "title", \Book.author: "author"] }
    /// ```
    open class var namesByKeyPath: [AnyKeyPath: String] { declaredNamesByKeyPath }

    /// The keys for which a save calls ``validateValue(_:forKey:)``. An override of that method
    /// names its keys here.
    open class var customValidatedKeys: [String] { [] }

    /// Checks one value against the model's rules for a key. Overrides call super and add rules of
    /// their own, for the keys in ``customValidatedKeys``.
    open func validateValue(_ value: Any?, forKey key: String) throws { try validateAgainstModel(value, forKey: key) }

    open var description: String { summary }
}

/// What led to a call of ``ManagedObject/awake(fromSnapshotEvents:)``.
public struct SnapshotEvents: OptionSet, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let undoInsertion = SnapshotEvents(rawValue: 2)
    public static let undoDeletion = SnapshotEvents(rawValue: 4)
    public static let undoUpdate = SnapshotEvents(rawValue: 8)
    public static let rollback = SnapshotEvents(rawValue: 16)
    public static let refresh = SnapshotEvents(rawValue: 32)
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
