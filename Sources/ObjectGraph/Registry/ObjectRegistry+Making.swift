import RowMemory
import Schema
import Storage

// Creation of objects from rows of a store.
extension ObjectRegistry {
    /// The object of a row from the store. A registered object keeps its values; a fault or a new
    /// object gets the row.
    func adopt(_ row: Row) -> ManagedObject {
        let shape = shapes[row.entityIndex]
        return adopt(
            row.slab, row.cells, entityIndex: row.entityIndex, shape.objectClass, identities[shape.entity.rootIndex])
    }

    func adopt(_ rows: RowBatch) -> [ManagedObject] {
        var objects: [ManagedObject] = []
        objects.reserveCapacity(rows.count)
        if !rows.forEachSlab({ adopt($0, into: &objects) }) {
            for index in 0..<rows.count { objects.append(adopt(rows[index])) }
        }
        return objects
    }

    /// Adopts all rows of a slab. Lookups that depend on the entity are made once.
    func adopt(_ slab: RowSlab, into objects: inout [ManagedObject]) {
        let entityIndex = slab.layout.entityIndex
        let shape = shapes[entityIndex], identities = identities[shape.entity.rootIndex]
        for place in 0..<slab.count {
            objects.append(adopt(slab, slab.cells(at: place), entityIndex: entityIndex, shape.objectClass, identities))
        }
    }

    /// The objects of the rows of one owner's members.
    func adopt(_ runs: ContiguousArray<RowRun>) -> ContiguousArray<ManagedObject> {
        var objects: ContiguousArray<ManagedObject> = []
        let count = runs.reduce(0) { $0 + $1.count }
        objects.reserveCapacity(count)
        for run in runs {
            let entityIndex = run.slab.layout.entityIndex
            let shape = shapes[entityIndex], identities = identities[shape.entity.rootIndex]
            for place in run.first..<(run.first + run.count) {
                objects.append(
                    adopt(run.slab, run.slab.cells(at: place), entityIndex: entityIndex, shape.objectClass, identities))
            }
        }
        return objects
    }

    /// The objects of a selection, in which the store left out rows of objects known to the
    /// context. Rows that are no longer present after all are read.
    func adopt(_ selection: RowSelection, of store: any RowStore, root: Int) throws -> [ManagedObject] {
        if selection.entries.isEmpty { return adopt(selection.rows) }
        let identities = identities[root]
        var objects: [ManagedObject] = []
        objects.reserveCapacity(selection.entries.count)
        // Retained until the end, since a known object may have no other reference.
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
        return complete(
            selection, adopted, try adopt(store.rows(RowRequest(entityIndex: root, selection: .keys(missing)))), root)
    }

    private func complete(_ selection: RowSelection, _ adopted: [ManagedObject], _ read: [ManagedObject], _ root: Int)
        -> [ManagedObject]
    {
        let byKey = Dictionary(read.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        var next = 0
        return selection.entries.compactMap { entry in
            if entry.key == 0 {
                next += 1
                return adopted[next - 1]
            }
            // An object that is in neither was deleted meanwhile.
            return byKey[entry.key]
                ?? identities[root].object(entry.key).flatMap { $0.hasValues(version: entry.version) ? $0 : nil }
        }
    }

    @inline(__always)
    func adopt(
        _ slab: RowSlab, _ cells: RowCells, entityIndex: Int, _ objectClass: ManagedObject.Type,
        _ identities: IdentityMap
    ) -> ManagedObject {
        let key = cells.key
        if key < 0 { return adoptUnsaved(Row(slab: slab, cells: cells)) }
        if let object = registered(key, identities) {
            if object.state.isFault && !object.state.contains(.inaccessible)
                && !(object.isListed && object.hasValues(version: cells.version))
            {
                object.attach(Row(slab: slab, cells: cells))
            } else if object.recordIndex < 0, object.state.isSuperset(of: [.deleted, .inaccessible]) {
                // It is in the store again, although it was known to be deleted there.
                object.state = .fault
                object.attach(Row(slab: slab, cells: cells))
            }
            identities.known.insert(key)
            return object
        }
        let object = objectClass.init(ManagedObjectSeed(self, entityIndex: entityIndex, key: key, slab, cells, .fault))
        identities.insert(object, key)
        identities.known.insert(key)
        retained?.insert(object)
        return object
    }

    /// The object of a row that is new in the parent context. Only a child reads such rows.
    private func adoptUnsaved(_ row: Row) -> ManagedObject {
        let object = object(ObjectReference(key: row.key, entityIndex: row.entityIndex))
        if object.state.isFault && !object.state.contains(.inaccessible) { object.attach(row) }
        return object
    }
}

// New objects.
extension ObjectRegistry {
    /// The entity that a class is registered for. Traps if there is not exactly one.
    func entityIndex(of objectClass: ManagedObject.Type) -> Int {
        let found = shapes.indices.filter { shapes[$0].objectClass == objectClass && !shapes[$0].entity.isAbstract }
        precondition(
            found.count == 1,
            "\(objectClass) is the class of \(found.count) entities: register it for one, or use init(entity:insertInto:)"
        )
        return found[0]
    }

    /// The name of the entity whose objects, including those of sub-entities, have a class.
    func entityName(of objectClass: ManagedObject.Type) throws -> String {
        let entities = shapes.filter { $0.objectClass == objectClass }.map(\.entity)
        // Sub-entities can be registered with the class of their super-entity.
        guard let highest = entities.first(where: { one in entities.allSatisfy { $0.isKind(of: one) } }) else {
            let what = entities.isEmpty ? "no entity" : "the entities \(entities.map(\.name).joined(separator: ", "))"
            throw GraphError(
                .unknownEntity,
                "\(objectClass) is the class of \(what): register it with the coordinator for one, or name the entity in a FetchRequest"
            )
        }
        return highest.name
    }

    /// The seed of a new object, with a temporary key and a row with the default values.
    func makeSeed(_ entityIndex: Int) -> ManagedObjectSeed {
        let shape = shapes[entityIndex]
        let key = temporaryKeys.next()
        let row = newRows.makeRow(shape.layout, key: key)
        for (slot, value) in shape.defaults { _ = row.setValue(value, slot) }
        // The allocator retains the slab until it creates another row.
        return ManagedObjectSeed(self, entityIndex: entityIndex, key: key, row.slab, row.cells, [.inserted, .free])
    }
}
