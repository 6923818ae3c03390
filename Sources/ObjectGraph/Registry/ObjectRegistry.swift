import RowMemory
import Schema
import Storage

/// The objects that a context knows, each once: by the root entity and the primary key, or by the
/// temporary key, and those with changes by their records.
///
/// Objects refer to it, and through it to their context. It outlives the context where somebody
/// still holds the members of a relationship (``MemberRows``); it has no objects then.
@usableFromInline
final class ObjectRegistry {
    // Exclusivity needs no checks: every method that changes one of these finishes with it before
    // it calls anything that could reach it again.

    /// The context. Not counted: it owns the registry, and its deinit clears this.
    @exclusivity(unchecked) private(set) var owner: Unmanaged<AnyObject>?
    /// Whether the context has a parent, whose new objects it can reach by their temporary keys.
    let isChild: Bool
    let shapes: ContiguousArray<EntityShape>
    /// `shapes`, not counted, for what is done a million times.
    let shapeReferences: ContiguousArray<Unmanaged<EntityShape>>
    /// By entity: `EntityShape.isPlain`, without a step to the shape.
    let isPlain: ContiguousArray<Bool>

    // MARK: For the accessors of objects

    let modelNumber: UInt64
    /// `modelNumber`, but while the context is observed: then no handle reads values directly.
    @exclusivity(unchecked) @usableFromInline private(set) var readableModelNumber: UInt64
    /// Who observes the objects; nil while the context is not observed.
    @exclusivity(unchecked) private(set) var registrars: ObjectRegistrars?
    /// By the numbers of typed properties.
    @exclusivity(unchecked) @usableFromInline var places: ContiguousArray<PropertyPosition> = []
    /// The objects with changes. The ``ChangeTracker`` says what becomes one; they stand here
    /// because every setting of a value asks them.
    @exclusivity(unchecked) @usableFromInline var changes = ChangeRecords()

    // MARK: By key

    /// By the position of the root entity.
    let identities: ContiguousArray<IdentityMap>
    /// The same by entity, not counted: every object that goes takes itself out.
    private let entityIdentities: ContiguousArray<Unmanaged<IdentityMap>>
    /// New objects, by their temporary keys without the sign.
    let temporaries = IdentityMap()
    let temporaryKeys: TemporaryKeys
    /// The rows of new objects.
    @exclusivity(unchecked) var newRows = NewRowAllocator()
    /// Objects that were reached through a to-one relationship lately. A to-one holds nothing, and
    /// walking many objects that lead to a few must not read these again and again.
    @exclusivity(unchecked) var recent = RecentObjects()
    /// All objects, where the context holds them; nil where it holds those with changes alone.
    var retained: Set<ManagedObject>?

    /// - Parameter parent: The registry of the parent context, whose temporary keys count on here.
    init(_ shapes: ContiguousArray<EntityShape>, modelNumber: UInt64, parent: ObjectRegistry?) {
        self.shapes = shapes
        shapeReferences = ContiguousArray(shapes.map { .passUnretained($0) })
        isPlain = ContiguousArray(shapes.map(\.isPlain))
        self.modelNumber = modelNumber
        readableModelNumber = modelNumber
        isChild = parent != nil
        temporaryKeys = parent?.temporaryKeys ?? TemporaryKeys()
        let identities = ContiguousArray(shapes.map { _ in IdentityMap() })
        self.identities = identities
        entityIdentities = ContiguousArray(shapes.map { .passUnretained(identities[$0.entity.rootIndex]) })
    }

    func rootIndex(_ entityIndex: Int) -> Int { shapes[entityIndex].entity.rootIndex }

    func relation(_ object: ManagedObject, _ property: Int) -> EntityShape.Relation {
        guard let relation = shapes[Int(object.entityIndex)].relations[property] else {
            preconditionFailure("Not a relationship")
        }
        return relation
    }

    // MARK: The context

    /// Called by the context once it is made.
    func open(for context: AnyObject) { owner = .passUnretained(context) }

    /// Called by the context's deinit: objects that are still held have no context from here on.
    func close() {
        owner = nil
        // Members hold each other in many-to-many relationships: without this they would outlive
        // the context.
        for object in allObjects {
            object.registryReference = nil
            object.detachRow()
            object.state = .fault
        }
        (changes, newRows, retained) = (ChangeRecords(), NewRowAllocator(), nil)
        recent.removeAll()
    }

    /// Begins or ends the observation of objects.
    func registerObservation(_ isObserved: Bool) {
        guard isObserved != (registrars != nil) else { return }
        registrars = isObserved ? ObjectRegistrars() : nil
        // Typed accessors that find nothing here take the way that tells of it.
        places = []
        readableModelNumber = isObserved ? 0 : modelNumber
    }

    // MARK: Finding and making

    /// The registered object of a reference.
    func registered(_ reference: ObjectReference) -> ManagedObject? {
        if reference.key < 0 { return temporaries.object(-reference.key) }
        return registered(reference.key, identities[shapes[reference.entityIndex].entity.rootIndex])
    }

    /// The object of a key, made where a list has its row.
    @inline(__always)
    func registered(_ key: Int64, _ identities: IdentityMap) -> ManagedObject? {
        if let object = identities.object(key) { return object }
        return identities.listedSlabs.isEmpty ? nil : listed(key, identities)
    }

    private func listed(_ key: Int64, _ identities: IdentityMap) -> ManagedObject? {
        guard let cells = identities.listedRow(key), let slab = identities.listedSlabs.slab(of: cells) else {
            return nil
        }
        return makeListed(slab, cells)
    }

    /// The object that stands on a row of a list.
    func makeListed(_ slab: RowSlab, _ cells: RowCells) -> ManagedObject {
        let entityIndex = slab.layout.entityIndex
        let object = shapes[entityIndex].objectClass.init(
            ManagedObjectSeed(self, entityIndex: entityIndex, key: cells.key, slab, cells, .fault))
        object.isListed = true
        register(object)
        return object
    }

    /// The object of a reference, a fault if it is not registered.
    func object(_ reference: ObjectReference) -> ManagedObject {
        registered(reference) ?? makeFault(key: reference.key, entityIndex: reference.entityIndex)
    }

    /// The object that a to-one leads to. The object is filled.
    func target(_ object: ManagedObject, _ slot: RowSlot) -> ManagedObject? {
        guard let reference = object.row.reference(slot) else { return nil }
        if let target = registered(reference) { return target }
        // A new object that is gone: nobody could find it.
        guard reference.key > 0 || isChild else { return nil }
        let target = self.object(reference)
        recent.hold(target)
        return target
    }

    func makeFault(key: Int64, entityIndex: Int) -> ManagedObject {
        let object = shapes[entityIndex].objectClass.init(
            ManagedObjectSeed(self, entityIndex: entityIndex, key: key, nil, nil, .fault))
        register(object)
        return object
    }

    // MARK: Registering

    func register(_ object: ManagedObject) {
        if object.key < 0 {
            temporaries.insert(object, -object.key)
        } else {
            identities[shapes[Int(object.entityIndex)].entity.rootIndex].insert(object, object.key)
        }
        retained?.insert(object)
    }

    /// Makes the object known no longer. Without a context it has no values to show, which
    /// observers are told; its row stays.
    func unregister(_ object: ManagedObject) {
        noteChange(object)
        object.isListed = false
        forget(object)
        object.registryReference = nil
        retained?.remove(object)
    }

    /// Called by an object's deinit.
    func forget(_ object: ManagedObject) {
        registrars?.forget(object)
        if object.key < 0 {
            temporaries.remove(-object.key)
        } else {
            entityIdentities[Int(object.entityIndex)]._withUnsafeGuaranteedRef { $0.forget(object) }
        }
    }

    /// Makes no object known any longer.
    func removeAll() {
        for map in identities { map.removeAll() }
        temporaries.removeAll()
        recent.removeAll()
        if retained != nil { retained = [] }
    }
}
