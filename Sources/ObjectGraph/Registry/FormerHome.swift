import RowMemory
import Schema
import Storage

/// Where objects were that are in no context any more: what their IDs and entities need.
///
/// It hangs on the slab of the row of such an object, or for one without a row on a slab without
/// rows, so that objects are no larger for it.
final class FormerHome {
    private let shapes: ContiguousArray<EntityShape>
    private let temporaryIdentity: StoreIdentity
    private weak var source: (any ObjectIDSource)?
    /// By the places of stores.
    private var identities: [Int: StoreIdentity] = [:]
    /// By entity.
    private var emptySlabs: [Int: Held] = [:]

    init(_ source: any ObjectIDSource, _ shapes: ContiguousArray<EntityShape>, temporaryIdentity: StoreIdentity) {
        self.shapes = shapes
        self.source = source
        self.temporaryIdentity = temporaryIdentity
    }

    /// Makes an object that was taken out of its context find its way back here.
    func note(_ object: ManagedObject) {
        if object.key > 0 {
            let place = StoreKey.place(of: object.key)
            if identities[place] == nil, let known = source?.storeIdentities {
                identities.merge(known) { _, new in new }
            }
        }
        if object.cells != nil, let slab = object.slab {
            slab.formerHome = self
        } else {
            object.slab = emptySlab(Int(object.entityIndex))
        }
    }

    private func emptySlab(_ entityIndex: Int) -> RowSlab {
        if let slab = emptySlabs[entityIndex]?.slab { return slab }
        let slab = RowSlab(layout: shapes[entityIndex].layout, capacity: 1)
        slab.formerHome = self
        emptySlabs[entityIndex] = Held(slab)
        return slab
    }

    /// Not held in return: the slab lives as long as objects stand on it.
    private struct Held {
        weak var slab: RowSlab?

        init(_ slab: RowSlab) { self.slab = slab }
    }

    func entity(_ object: ManagedObject) -> EntityDescription { shapes[Int(object.entityIndex)].entity }

    func objectID(_ object: ManagedObject) -> ManagedObjectID {
        let entityIndex = Int(object.entityIndex), key = object.key
        guard key > 0 else { return ManagedObjectID(store: temporaryIdentity, entityIndex: entityIndex, key: key) }
        if let id = source?.objectID(key: key, entityIndex: entityIndex) { return id }
        let place = StoreKey.place(of: key)
        // Of a store that was gone before the object was, nothing is left to name it by but this.
        return ManagedObjectID(
            store: identities[place] ?? temporaryIdentity, entityIndex: entityIndex, key: StoreKey.local(key))
    }
}
