import RowMemory
import Schema
import Storage

/// Acts for stores that get objects from another module, where Folio's get values.
package protocol ObjectStores: AnyObject, Sendable {
    /// Called before a context reads from its stores or saves to them, in the thread in which it
    /// does.
    func willAsk(_ context: ManagedObjectContext)
    /// Gives new objects permanent IDs where their store makes these from the objects. The others
    /// get primary keys as usual.
    func identify(_ objects: [ManagedObject], in context: ManagedObjectContext) throws
}

/// The objects of a save that a store is writing.
package struct ObjectsBeingSaved {
    package var inserted: [ManagedObject] = []
    package var updated: [ManagedObject] = []
    package var deleted: [ManagedObject] = []
    /// The persistent properties of the updated objects that have other values than the saved ones.
    package var changedKeys: [ObjectIdentifier: [String]] = [:]

    /// The objects of a save under way.
    init(_ save: SaveUnderWay, _ shapes: ContiguousArray<EntityShape>) {
        inserted = save.inserted.flatMap { save.changes.objects(at: $0) }
        deleted = save.changes.objects(at: save.deleted)
        for place in save.updated + save.unchanged {
            guard let object = save.changes.object(at: Int(place)) else { continue }
            updated.append(object)
            changedKeys[ObjectIdentifier(object)] = Self.changedKeys(
                of: object, Int(place), save.changes, shapes[Int(object.entityIndex)])
        }
    }

    private static func changedKeys(
        of object: ManagedObject, _ index: Int, _ changes: ChangeRecords, _ shape: EntityShape
    ) -> [String] {
        changes.changed(at: index).places.compactMap { place in
            let property = shape.entity.properties[place]
            if property.isTransient { return nil }
            if let saved = changes.savedValue(of: index, property: place), let row = object.optionalRow,
                row.slotValue(shape.layout.slots[place]) == saved
            {
                return nil
            }
            return property.name
        }
    }
}
