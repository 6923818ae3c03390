import RowMemory
public import Schema
import Storage

extension ManagedObjectContext {
    func objectID(key: Int64, entityIndex: Int) -> ManagedObjectID {
        if key < 0 { return ManagedObjectID(store: temporaryIdentity, entityIndex: entityIndex, key: key) }
        guard let id = persistentStoreCoordinator.objectID(key: key, entityIndex: entityIndex) else {
            preconditionFailure("The store of this object was removed from the coordinator: keep object IDs, not objects, across stores")
        }
        return id
    }

    /// The store, where there has to be one; several stand as one.
    func store() throws -> any RowStore {
        if let parentStore { return parentStore }
        if let union = persistentStoreCoordinator.union { return union }
        guard let store = persistentStoreCoordinator.firstStore else { throw GraphError.noStore }
        return try pinned(store)
    }

    func storeIdentity() throws -> StoreIdentity {
        guard let store = persistentStoreCoordinator.firstStore else { throw GraphError.noStore }
        return store.identity
    }

    func rootIndex(_ entityIndex: Int) -> Int { shapes[entityIndex].entity.rootIndex }

    /// The registered object of a reference.
    func registered(_ reference: ObjectReference) -> ManagedObject? {
        if reference.key < 0 { return temporaries.object(-reference.key) }
        return registered(reference.key, identities[rootIndex(reference.entityIndex)])
    }

    /// The object of a key, made where a list has its row.
    @inline(__always)
    private func registered(_ key: Int64, _ identities: IdentityMap) -> ManagedObject? {
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
        let object = shapes[entityIndex].objectClass.init(ManagedObjectSeed(self, entityIndex: entityIndex, key: cells.key, slab, cells, .fault))
        object.isListed = true
        register(object)
        return object
    }

    /// The object of a reference, a fault if it is not registered.
    func object(_ reference: ObjectReference) -> ManagedObject {
        registered(reference) ?? makeFault(key: reference.key, entityIndex: reference.entityIndex)
    }

    private func makeFault(key: Int64, entityIndex: Int) -> ManagedObject {
        let object = shapes[entityIndex].objectClass.init(
            ManagedObjectSeed(self, entityIndex: entityIndex, key: key, nil, nil, .fault))
        register(object)
        return object
    }

    func register(_ object: ManagedObject) {
        if object.key < 0 {
            temporaries.insert(object, -object.key)
        } else {
            identities[rootIndex(Int(object.entityIndex))].insert(object, object.key)
        }
        if retainsRegisteredObjects { retainedObjects.insert(object) }
    }

    /// Makes the object known no longer; it keeps its values.
    func unregister(_ object: ManagedObject) {
        object.isListed = false
        forget(object)
        object.contextReference = nil
        if retainsRegisteredObjects { retainedObjects.remove(object) }
    }

    /// The object of a row that the store sent: a registered one keeps its values, a fault or a new object takes the row.
    func adopt(_ row: Row) -> ManagedObject {
        let shape = shapes[row.entityIndex]
        return adopt(row.slab, row.cells, entityIndex: row.entityIndex, shape.objectClass, identities[shape.entity.rootIndex])
    }

    func adopt(_ rows: RowBatch) -> [ManagedObject] {
        var objects: [ManagedObject] = []
        objects.reserveCapacity(rows.count)
        let areMany = rows.count >= Self.manyRows
        if !rows.forEachSlab({ adopt($0, into: &objects, isOneOfMany: areMany) }) {
            for index in 0..<rows.count { objects.append(adopt(rows[index])) }
        }
        return objects
    }

    /// What follows from the entity is looked up once for all rows of a slab.
    private func adopt(_ slab: RowSlab, into objects: inout [ManagedObject], isOneOfMany: Bool) {
        let entityIndex = slab.layout.entityIndex
        let shape = shapes[entityIndex], identities = identities[shape.entity.rootIndex]
        if isOneOfMany { HeapRoom.prepare(slab.count * Self.objectSize) }
        for place in 0..<slab.count {
            objects.append(adopt(slab, slab.cells(at: place), entityIndex: entityIndex, shape.objectClass, identities))
        }
    }

    /// For so many objects memory is asked for ahead; that of fewer comes from what others gave back.
    static let manyRows = 4_096
    /// What the allocator takes for an object of a class without fields of its own.
    private static let objectSize = 64

    /// The objects of rows that are members of one owner.
    func adopt(_ runs: ContiguousArray<MemberRows.Run>, isOneOfMany: Bool) -> ContiguousArray<ManagedObject> {
        var objects: ContiguousArray<ManagedObject> = []
        let count = runs.reduce(0) { $0 + $1.count }
        objects.reserveCapacity(count)
        if isOneOfMany { HeapRoom.prepare(count * Self.objectSize) }
        for run in runs {
            let entityIndex = run.slab.layout.entityIndex
            let shape = shapes[entityIndex], identities = identities[shape.entity.rootIndex]
            for place in run.first..<(run.first + run.count) {
                objects.append(adopt(run.slab, run.slab.cells(at: place), entityIndex: entityIndex, shape.objectClass, identities))
            }
        }
        return objects
    }

    /// Takes what a store answered to a request that named known objects. Those whose values are not here after all are read.
    func adopt(_ selection: RowSelection, root: Int) throws -> [ManagedObject] {
        if selection.entries.isEmpty { return adopt(selection.rows) }
        let identities = identities[root]
        var objects: [ManagedObject] = []
        objects.reserveCapacity(selection.entries.count)
        // Held until the end: a known object may be held by nobody else.
        let adopted = adopt(selection.rows)
        var next = 0
        var missing: [Int64] = []
        for entry in selection.entries {
            if entry.key == 0 {
                objects.append(adopted[next])
                next += 1
            } else if let object = identities.object(entry.key), object.hasValues(version: entry.version) {
                objects.append(object)
            } else {
                missing.append(entry.key)
            }
        }
        guard !missing.isEmpty else { return objects }
        return try complete(selection, adopted, missing, root)
    }

    private func complete(_ selection: RowSelection, _ adopted: [ManagedObject], _ missing: [Int64], _ root: Int) throws -> [ManagedObject] {
        let read = adopt(try store().rows(RowRequest(entityIndex: root, selection: .keys(missing))))
        let byKey = Dictionary(read.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var next = 0
        return selection.entries.compactMap { entry in
            if entry.key == 0 {
                next += 1
                return adopted[next - 1]
            }
            // One that is found neither here nor there was deleted meanwhile.
            return byKey[entry.key] ?? identities[root].object(entry.key).flatMap { $0.hasValues(version: entry.version) ? $0 : nil }
        }
    }

    @inline(__always)
    private func adopt(
        _ slab: RowSlab, _ cells: RowCells, entityIndex: Int, _ objectClass: ManagedObject.Type, _ identities: IdentityMap
    ) -> ManagedObject {
        let key = cells.key
        if key < 0 { return adoptUnsaved(Row(slab: slab, cells: cells)) }
        if let object = registered(key, identities) {
            if object.state.isFault && !object.state.contains(.inaccessible) && !(object.isListed && object.hasValues(version: cells.version)) { object.attach(Row(slab: slab, cells: cells)) }
            identities.known.insert(key)
            return object
        }
        let object = objectClass.init(ManagedObjectSeed(self, entityIndex: entityIndex, key: key, slab, cells, .fault))
        identities.insert(object, key)
        identities.known.insert(key)
        if retainsRegisteredObjects { retainedObjects.insert(object) }
        return object
    }

    /// The object of a row that is new in the parent: only a child meets such rows.
    private func adoptUnsaved(_ row: Row) -> ManagedObject {
        let object = object(ObjectReference(key: row.key, entityIndex: row.entityIndex))
        if object.state.isFault && !object.state.contains(.inaccessible) { object.attach(row) }
        return object
    }

    /// The object with an ID, without asking the store: where it is not registered, a fault that is assumed to exist.
    ///
    /// Traps if the ID is of another store or model, and if it is temporary and unknown here.
    public func object(with id: ManagedObjectID) -> ManagedObject {
        if let object = registeredObject(for: id) { return object }
        precondition(!id.isTemporaryID || parent != nil, "A temporary ID means nothing outside its context: save first, and pass on the permanent one")
        guard let reference = ownReference(of: id) else {
            preconditionFailure("\(id) is not of this context's store: fetch the object there")
        }
        return makeFault(key: reference.key, entityIndex: reference.entityIndex)
    }

    /// The object with an ID, filled: the registered one, or read from the store.
    /// - Throws: ``GraphError`` with code `objectNotFound` where there is none, or one of another entity of the hierarchy has the number.
    public func existingObject(with id: ManagedObjectID) throws -> ManagedObject {
        if let object = registeredObject(for: id) {
            if object.isDeleted || !isNamed(Int(object.entityIndex), by: id) { throw GraphError.notFound(id) }
            try object.realise()
            return object
        }
        guard !id.isTemporaryID || parent != nil, let reference = ownReference(of: id) else { throw GraphError.notFound(id) }
        let rows = try store().rows(RowRequest(entityIndex: rootIndex(reference.entityIndex), selection: .keys([reference.key])))
        guard rows.count == 1, isNamed(rows[0].entityIndex, by: id) else { throw GraphError.notFound(id) }
        let object = adopt(rows[0])
        try object.realise()
        return object
    }

    /// Whether an ID can stand for an object of an entity: its own, or one that it inherits from.
    private func isNamed(_ entityIndex: Int, by id: ManagedObjectID) -> Bool {
        ownReference(of: id).map { shapes[$0.entityIndex].entity.family.contains(entityIndex) } ?? false
    }

    /// The object with an ID if the context knows it. Reads nothing.
    public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
        if id.isTemporaryID { return id.store == temporaryIdentity ? temporaries.object(-id.key) : nil }
        return ownReference(of: id).flatMap { registered($0) }
    }

    /// How an object is called here, by its number and the place of its entity in this context's model; nil for IDs of other stores.
    func ownReference(of id: ManagedObjectID) -> ObjectReference? {
        if id.isTemporaryID { return id.store == temporaryIdentity ? ObjectReference(key: id.key, entityIndex: id.entityIndex) : nil }
        guard let key = persistentStoreCoordinator.key(of: id) else { return nil }
        if id.store.model === model { return ObjectReference(key: key, entityIndex: id.entityIndex) }
        return model.entity(named: id.entity.name).map { ObjectReference(key: key, entityIndex: $0.index) }
    }

    var allObjects: ContiguousArray<ManagedObject> {
        var objects = temporaries.objects
        for map in identities where map.count > 0 { objects.append(contentsOf: map.objects) }
        return objects
    }

    /// All objects that the context knows. Costs as much as there are.
    public var registeredObjects: Set<ManagedObject> {
        var objects = allObjects
        for map in identities where !map.listedSlabs.isEmpty { objects += map.listedKeys.compactMap { registered($0, map) } }
        return Set(objects)
    }
}

extension GraphError {
    static func notFound(_ id: ManagedObjectID) -> GraphError {
        GraphError(.objectNotFound, "There is no object \(id)", object: id, entity: id.entity.name)
    }
}
