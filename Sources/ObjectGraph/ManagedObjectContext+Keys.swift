import RowMemory
import Schema
import Storage

extension ManagedObjectContext {
    /// Gives new objects their permanent IDs before they are saved. Objects that have one keep it. Costs a transaction of the store, and numbers are used up for good.
    public func obtainPermanentIDs(for objects: some Sequence<ManagedObject>) throws {
        var own: ContiguousArray<ManagedObject> = []
        var parents: [ManagedObject] = []
        for object in objects where object.key < 0 && object.contextReference != nil {
            if let parent, !object.state.contains(.inserted) { parents.append(parent.object(reference(to: object))) } else { own.append(object) }
        }
        // What a parent renames its children hear of.
        if !parents.isEmpty { try parent?.obtainPermanentIDs(for: parents) }
        // In the order in which they were inserted.
        own.sort { $0.key > $1.key }
        try withExtendedLifetime(own) { try givePermanentKeys(ContiguousArray(own.map { .passUnretained($0) })) }
    }

    /// The first of the numbers for new objects of a hierarchy, for those of each store that they go to.
    private func reserveKeys(_ objects: UnheldObjects, _ root: Int) throws -> [(first: Int64, objects: UnheldObjects)] {
        let assigned = topmost.assignedStores
        guard !assigned.isEmpty, let union = persistentStoreCoordinator.union else {
            return [(try store().reserveKeys(entityIndex: root, count: objects.count), objects)]
        }
        var groups: [Int: UnheldObjects] = [:]
        for object in objects {
            let key = object._withUnsafeGuaranteedRef { $0.key }
            let member = try assigned[key].flatMap { uuid in union.members.first { $0.uuid == uuid } } ?? union.homeStore(of: root)
            groups[member.place, default: []].append(object)
        }
        return try groups.sorted { $0.key < $1.key }.compactMap { place, objects in
            try union.member(at: place).map { (try union.reserveKeys(entityIndex: root, count: objects.count, in: $0), objects) }
        }
    }

    /// Gives all new objects their permanent keys.
    func obtainPermanentIDsForInsertedObjects() throws {
        var objects: UnheldObjects = []
        let changes = self.changes
        changes.forEach { object, index in
            guard object.key < 0, object.isInserted else { return }
            if objects.isEmpty { objects.reserveCapacity(changes.indices.count - index) }
            objects.append(.passUnretained(object))
        }
        // The changes hold them.
        try withExtendedLifetime(changes) { try givePermanentKeys(objects) }
    }

    private func givePermanentKeys(_ objects: UnheldObjects) throws {
        guard let first = objects.first else { return }
        let root = rootIndex(first._withUnsafeGuaranteedRef { Int($0.entityIndex) }), family = shapes[root].entity.family
        // Mostly all are of one hierarchy.
        let groups =
            objects.allSatisfy { $0._withUnsafeGuaranteedRef { family.contains(Int($0.entityIndex)) } }
            ? [root: objects] : Dictionary(grouping: objects) { rootIndex($0._withUnsafeGuaranteedRef { Int($0.entityIndex) }) }.mapValues { ContiguousArray($0) }
        for (root, objects) in groups.sorted(by: { $0.key < $1.key }) {
            for (first, objects) in try reserveKeys(objects, root) {
                var key = first
                for object in objects {
                    object._withUnsafeGuaranteedRef { givePermanentKey($0, key) }
                    key += 1
                }
            }
        }
        replaceTemporaryKeys([objects], savedObjects: nil)
    }

    /// First step: the object has its key, and is still found by the temporary one, which its row keeps.
    func givePermanentKey(_ object: ManagedObject, _ key: Int64) {
        if recordsUndo { permanentKeys.set(key, for: object.key) }
        object.key = key
        identities[rootIndex(Int(object.entityIndex))].insert(object, key)
    }

    /// Second step: nothing refers to the temporary keys any more. The changes, or whoever calls, hold the objects.
    func replaceTemporaryKeys(_ renamed: [UnheldObjects], savedObjects save: SaveUnderWay?) {
        guard renamed.contains(where: { !$0.isEmpty }) else { return }
        // Only objects that changed can lead to new ones: those that are being saved and those that were changed since.
        if shapes.contains(where: { !$0.toOnes.isEmpty }) {
            if let save {
                for places in save.inserted + [save.updated] { save.changes.forEach(at: places) { replaceTemporaryReferences(in: $0) } }
            }
            for index in changes.indices {
                guard let object = changes.object(at: index) else { continue }
                replaceTemporaryReferences(in: object)
                for place in changes.savedPlaces(of: index) {
                    if case .reference(let reference?) = changes.saved[place].value, let permanent = permanentReference(reference) {
                        changes.replaceSaved(at: place, with: .reference(permanent))
                    }
                }
            }
        }
        var told: [(temporary: Int64, permanent: ObjectReference)] = []
        let tellsChildren = !children.isEmpty
        for objects in renamed {
            for object in objects {
                object._withUnsafeGuaranteedRef { object in
                    guard let cells = object.cells else { preconditionFailure("A new object has a row") }
                    if tellsChildren { told.append((cells.key, reference(to: object))) }
                    temporaries.remove(-cells.key)
                    cells.setKey(object.key)
                }
            }
        }
        if !told.isEmpty { tellChildren(told) }
    }

    private func replaceTemporaryReferences(in object: ManagedObject) {
        let toOnes = shapes[Int(object.entityIndex)].toOnes
        guard !toOnes.isEmpty else { return }
        leaveLentRow(object)
        guard let row = object.optionalRow else { return }
        for relation in toOnes {
            if let reference = row.reference(relation.slot), let permanent = permanentReference(reference) { row.setReference(permanent, relation.slot) }
        }
    }

    private func permanentReference(_ reference: ObjectReference) -> ObjectReference? {
        guard reference.key < 0, let object = temporaries.object(-reference.key), object.key > 0 else { return nil }
        return ObjectReference(key: object.key, entityIndex: reference.entityIndex)
    }
}

/// Objects that somebody else holds.
typealias UnheldObjects = ContiguousArray<Unmanaged<ManagedObject>>
