import RowMemory
import Schema

// New objects.
extension ObjectRegistry {
    /// The entity that a class is registered for. Traps where there is none, or more than one.
    func entityIndex(of objectClass: ManagedObject.Type) -> Int {
        let found = shapes.indices.filter { shapes[$0].objectClass == objectClass && !shapes[$0].entity.isAbstract }
        precondition(
            found.count == 1,
            "\(objectClass) is the class of \(found.count) entities: register it for one, or use init(entity:insertInto:)")
        return found[0]
    }

    /// What a new object is made of: a temporary key, and a row with the defaults.
    func makeSeed(_ entityIndex: Int) -> ManagedObjectSeed {
        let shape = shapes[entityIndex]
        let key = temporaryKeys.next()
        let row = newRows.makeRow(shape.layout, key: key)
        for (slot, value) in shape.defaults { _ = row.setValue(value, slot) }
        // The allocator holds the slab until another row is made.
        return ManagedObjectSeed(self, entityIndex: entityIndex, key: key, row.slab, row.cells, [.inserted, .free])
    }
}
