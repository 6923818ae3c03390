import RowMemory
import Schema
import Storage

/// The changes that a save makes to the objects of an incremental store.
struct IncrementalChange {
    private struct Object {
        /// The stored state; nil for a new object.
        let old: Row?
        /// The new state; nil for a deleted object.
        let new: Row?
        var lists: [(relation: Int, members: [ObjectReference])] = []
    }

    private var objects: [ObjectReference: Object] = [:]
    /// The order in which the objects were added, which is that of their insertion.
    private var order: [ObjectReference] = []

    /// Adds a changed object. Only its first addition is used.
    mutating func add(_ root: Int, _ key: Int64, old: Row?, new: Row?) {
        let place = ObjectReference(key: key, entityIndex: root)
        guard objects[place] == nil, old != nil || new != nil else { return }
        objects[place] = Object(old: old, new: new)
        order.append(place)
    }

    /// Adds lists of members. Owners without other changes are looked up, and skipped if they no
    /// longer exist.
    mutating func add(
        _ lists: [(relation: Int, owner: Int64, list: [ObjectReference]?)], _ shape: TableShape,
        row: (_ key: Int64, _ entityIndex: Int) throws -> Row?
    ) throws {
        for (relation, owner, list) in lists.sorted(by: { ($0.relation, $0.owner) < ($1.relation, $1.owner) }) {
            let root = shape.root(of: shape.relations[relation].entityIndex)
            let place = ObjectReference(key: owner, entityIndex: root)
            if objects[place] == nil, let row = try row(owner, root) { add(root, owner, old: row, new: row) }
            guard objects[place]?.new != nil else { continue }
            objects[place]?.lists.append((relation, list ?? []))
        }
    }

    func request(_ shape: TableShape, _ identity: StoreIdentity, _ metadata: [String: MetadataValue]?) throws
        -> IncrementalSaveRequest
    {
        var inserted: [IncrementalSaveRequest.SavedObject] = [], updated = inserted
        var deleted: [IncrementalSaveRequest.DeletedObject] = []
        for place in order {
            guard let object = objects[place] else { continue }
            switch (object.old, object.new) {
            case (let old?, nil):
                deleted.append(
                    .init(
                        objectID: ManagedObjectID(store: identity, entityIndex: old.entityIndex, key: old.key),
                        storedVersion: old.version))
            case (let old, let new?):
                let saved = try savedObject(object, old, new, shape, identity)
                if old == nil { inserted.append(saved) } else { updated.append(saved) }
            case (nil, nil): continue
            }
        }
        return IncrementalSaveRequest(
            insertedObjects: inserted, updatedObjects: updated, deletedObjects: deleted, metadata: metadata)
    }

    private func savedObject(
        _ object: Object, _ old: Row?, _ new: Row, _ shape: TableShape, _ identity: StoreIdentity
    ) throws -> IncrementalSaveRequest.SavedObject {
        func id(_ reference: ObjectReference) -> ManagedObjectID {
            ManagedObjectID(store: identity, entityIndex: reference.entityIndex, key: reference.key)
        }
        let properties = shape.model.entities[new.entityIndex].properties
        var node = IncrementalStoreNode(
            objectID: id(ObjectReference(key: new.key, entityIndex: new.entityIndex)), version: new.version)
        var changed: Set<String> = []
        for slot in shape.storedSlots[new.entityIndex] {
            let name = properties[Int(slot.index)].name
            if slot.kind == .toOne {
                let target = new.reference(slot)
                node.toOnes[name] = target.map(id)
                if target != old?.reference(slot) { changed.insert(name) }
            } else {
                var value = new.value(slot)
                if value != old?.value(slot) ?? .null { changed.insert(name) }
                if case .large(let large) = value, large.fileName == nil { value = .data(try large.data()) }
                if !value.isNull { node.attributes[name] = value }
            }
        }
        var toManys: [String: [ManagedObjectID]] = [:]
        for (relation, members) in object.lists {
            let name = shape.relations[relation].property.name
            if old == nil, members.isEmpty { continue }
            toManys[name] = members.map(id)
            changed.insert(name)
        }
        return .init(node: node, toManys: toManys, storedVersion: old?.version ?? 0, changedKeys: changed)
    }
}
