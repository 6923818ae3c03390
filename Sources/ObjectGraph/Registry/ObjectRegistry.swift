import RowMemory
import Schema
import Storage

/// The registered objects of a context, each exactly once. They are found by the root entity and
/// the primary key, or by the temporary key; objects with changes also by their records.
///
/// Objects refer to the registry, and through it to their context. It can outlive the context if
/// the application retains the members of a relationship (``MemberRows``), but then has no objects.
@usableFromInline
final class ObjectRegistry {
    // Exclusivity checks are not necessary: every method that changes one of these properties
    // completes the access before it calls code that could access the property again.

    /// The context. Unmanaged, because the context owns the registry and clears this in its deinit.
    @exclusivity(unchecked) private(set) var owner: Unmanaged<AnyObject>?
    /// Where objects lead that the context has no more.
    @exclusivity(unchecked) private(set) var formerHome: FormerHome?
    /// Whether the context has a parent, whose new objects it can access by their temporary keys.
    let isChild: Bool
    let shapes: ContiguousArray<EntityShape>
    /// `shapes` without reference counting, for frequent accesses.
    let shapeReferences: ContiguousArray<Unmanaged<EntityShape>>
    /// `EntityShape.isPlain` by entity, to avoid an indirection.
    let isPlain: ContiguousArray<Bool>

    // MARK: For the accessors of objects

    let modelNumber: UInt64
    /// The same as `modelNumber`, or 0 while the context is observed, so that typed keys don't read
    /// values directly.
    @exclusivity(unchecked) @usableFromInline private(set) var readableModelNumber: UInt64
    /// The registrars of observed objects; nil while the context is not observable.
    @exclusivity(unchecked) private(set) var registrars: ObjectRegistrars?
    /// Indexed by the numbers of typed properties.
    @exclusivity(unchecked) @usableFromInline var places: ContiguousArray<PropertyPosition> = []
    /// The records of objects with changes, maintained by ``ChangeTracker``. They are here because
    /// every assignment of a value reads them.
    @exclusivity(unchecked) @usableFromInline var changes = ChangeRecords()

    // MARK: Access by key

    /// Indexed by root entity.
    let identities: ContiguousArray<IdentityMap>
    /// The same by entity, without reference counting, because every released object uses it.
    private let entityIdentities: ContiguousArray<Unmanaged<IdentityMap>>
    /// New objects, by their negated temporary keys.
    let temporaries = IdentityMap()
    let temporaryKeys: TemporaryKeys
    /// The permanent keys by the temporary ones, as long as children may ask for objects by these.
    @exclusivity(unchecked) var formerKeys: [Int64: Int64] = [:]
    /// The rows of new objects.
    @exclusivity(unchecked) var newRows = NewRowAllocator()
    /// Objects that were recently reached through a to-one relationship. Since a to-one
    /// relationship does not retain its target, iterating over many objects with few targets would
    /// otherwise read the targets again and again.
    @exclusivity(unchecked) var recent = RecentObjects()
    /// All objects if the context retains them; nil if it retains only those with changes.
    var retained: Set<ManagedObject>?

    /// - Parameter parent: The registry of the parent context, whose sequence of temporary keys is
    ///   shared.
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

    /// Called by the initializer of the context.
    func open(for context: AnyObject, home: FormerHome) {
        owner = .passUnretained(context)
        formerHome = home
    }

    /// Called by the deinit of the context. Objects that are still referenced have no context
    /// afterwards.
    func close() {
        owner = nil
        // Members of many-to-many relationships retain each other, and would otherwise outlive the
        // context.
        for object in allObjects {
            object.registryReference = nil
            object.detachRow()
            object.state = .fault
            formerHome?.note(object)
        }
        (changes, newRows, retained) = (ChangeRecords(), NewRowAllocator(), nil)
        recent.removeAll()
    }

    /// Starts or stops the observation of objects.
    func registerObservation(_ isObserved: Bool) {
        guard isObserved != (registrars != nil) else { return }
        registrars = isObserved ? ObjectRegistrars() : nil
        // Without cached locations, typed accessors take the slow path, which registers reads.
        places = []
        readableModelNumber = isObserved ? 0 : modelNumber
    }

    // MARK: Lookup and creation

    /// The registered object of a reference.
    func registered(_ reference: ObjectReference) -> ManagedObject? {
        if reference.key < 0 {
            if let object = temporaries.object(-reference.key) { return object }
            guard let key = formerKeys[reference.key] else { return nil }
            return registered(ObjectReference(key: key, entityIndex: reference.entityIndex))
        }
        return registered(reference.key, identities[shapes[reference.entityIndex].entity.rootIndex])
    }

    /// The object of a primary key. It is created if the key has a listed row.
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

    /// Creates the object of a listed row.
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
        registered(reference) ?? makeFault(key: currentKey(reference.key), entityIndex: reference.entityIndex)
    }

    /// The permanent key that replaced a temporary one; other keys as they are.
    func currentKey(_ key: Int64) -> Int64 { key < 0 ? formerKeys[key] ?? key : key }

    /// The destination of a to-one relationship. The object must not be a fault.
    func target(_ object: ManagedObject, _ slot: RowSlot) -> ManagedObject? {
        guard let reference = object.row.reference(slot) else { return nil }
        if let target = registered(reference) { return target }
        // A temporary key without an object: the new object was removed, and no store has it.
        guard reference.key > 0 || isChild else { return nil }
        let target = self.object(reference)
        recent.hold(target)
        return target
    }

    /// The destination as an object of the class that an accessor declares. Traps if it is of
    /// another class.
    func target<Destination: ManagedObject>(_ object: ManagedObject, _ slot: RowSlot, as: Destination.Type)
        -> Destination?
    {
        guard let target = target(object, slot) else { return nil }
        guard let destination = target as? Destination else {
            preconditionFailure(
                "\(target.entity.name) has another class than \(Destination.self): register it with the coordinator")
        }
        return destination
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

    /// Removes an object from the registry. Observers are notified, since without a context it has
    /// no values. Its row stays.
    func unregister(_ object: ManagedObject) {
        noteChange(object)
        object.isListed = false
        forget(object)
        object.registryReference = nil
        retained?.remove(object)
        formerHome?.note(object)
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

    /// Removes all objects from the registry.
    func removeAll() {
        for map in identities { map.removeAll() }
        temporaries.removeAll()
        recent.removeAll()
        if retained != nil { retained = [] }
    }
}
