import RowMemory
import Schema
import Storage

/// The objects that a context knows, each once: by the root entity and the primary key, or by the temporary key.
final class ObjectRegistry {
    // Exclusivity needs no checks: every method that changes one of these finishes with it before it calls anything that could reach it again.

    /// Set as soon as there is one, which owns the registry.
    @exclusivity(unchecked) unowned(unsafe) var context: ManagedObjectContext!
    let shapes: ContiguousArray<EntityShape>
    /// By the position of the root entity.
    let identities: ContiguousArray<IdentityMap>
    /// The same by entity, not counted: every object that goes takes itself out.
    private let entityIdentities: ContiguousArray<Unmanaged<IdentityMap>>
    /// New objects, by their temporary keys without the sign.
    let temporaries = IdentityMap()
    /// Objects that were reached through a to-one relationship lately. A to-one holds nothing, and walking many objects that lead to a few must not read these again and again.
    @exclusivity(unchecked) var recent = RecentObjects()
    /// All objects, where the context holds them; nil where it holds those with changes alone.
    var retained: Set<ManagedObject>?

    init(_ shapes: ContiguousArray<EntityShape>) {
        self.shapes = shapes
        let identities = ContiguousArray(shapes.map { _ in IdentityMap() })
        self.identities = identities
        entityIdentities = ContiguousArray(shapes.map { .passUnretained(identities[$0.entity.rootIndex]) })
    }

    /// Whether every object is held.
    var retainsObjects: Bool {
        get { retained != nil }
        set { retained = newValue ? objects : nil }
    }

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
        guard let cells = identities.listedRow(key), let slab = identities.listedSlabs.slab(of: cells) else { return nil }
        return makeListed(slab, cells)
    }

    /// The object that stands on a row of a list.
    func makeListed(_ slab: RowSlab, _ cells: RowCells) -> ManagedObject {
        let entityIndex = slab.layout.entityIndex
        let object = shapes[entityIndex].objectClass.init(ManagedObjectSeed(context, entityIndex: entityIndex, key: cells.key, slab, cells, .fault))
        object.isListed = true
        register(object)
        return object
    }

    /// The object of a reference, a fault if it is not registered.
    func object(_ reference: ObjectReference) -> ManagedObject {
        registered(reference) ?? makeFault(key: reference.key, entityIndex: reference.entityIndex)
    }

    func makeFault(key: Int64, entityIndex: Int) -> ManagedObject {
        let object = shapes[entityIndex].objectClass.init(
            ManagedObjectSeed(context, entityIndex: entityIndex, key: key, nil, nil, .fault))
        register(object)
        return object
    }

    func register(_ object: ManagedObject) {
        if object.key < 0 {
            temporaries.insert(object, -object.key)
        } else {
            identities[shapes[Int(object.entityIndex)].entity.rootIndex].insert(object, object.key)
        }
        retained?.insert(object)
    }

    /// Makes the object known no longer. Without a context it has no values to show, which observers are told; its row stays.
    func unregister(_ object: ManagedObject) {
        context.noteChange(object)
        object.isListed = false
        forget(object)
        object.contextReference = nil
        retained?.remove(object)
    }

    /// Called by an object's deinit.
    func forget(_ object: ManagedObject) {
        context.registrars?.forget(object)
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

    /// For how many objects the maps have room.
    var capacity: Int { identities.reduce(temporaries.capacity) { $0 + $1.capacity } }

    /// All objects that there are; rows of lists whose objects nobody has asked for are none.
    var allObjects: ContiguousArray<ManagedObject> {
        var objects = temporaries.objects
        for map in identities where map.count > 0 { objects.append(contentsOf: map.objects) }
        return objects
    }

    /// All objects, those of lists that nobody has asked for too. Costs as much as there are.
    var objects: Set<ManagedObject> {
        var objects = allObjects
        for map in identities where !map.listedSlabs.isEmpty { objects += map.listedKeys.compactMap { registered($0, map) } }
        return Set(objects)
    }
}
