import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Gives new objects their permanent IDs before they are saved. Objects that have one keep it. Costs a transaction of the store, and numbers are used up for good.
    public func obtainPermanentIDs(for objects: some Sequence<ManagedObject>) throws {
        var own: ContiguousArray<ManagedObject> = []
        var parents: [ManagedObject] = []
        for object in objects where object.key < 0 && object.contextReference != nil {
            if let parent, !object.state.contains(.inserted) { parents.append(parent.registry.object(reference(to: object))) } else { own.append(object) }
        }
        // What a parent renames its children hear of.
        if !parents.isEmpty { try parent?.obtainPermanentIDs(for: parents) }
        // In the order in which they were inserted.
        own.sort { $0.key > $1.key }
        try withExtendedLifetime(own) { try keys.givePermanentKeys(ContiguousArray(own.map { .passUnretained($0) })) }
    }
}

/// Objects that somebody else holds.
typealias UnheldObjects = ContiguousArray<Unmanaged<ManagedObject>>
