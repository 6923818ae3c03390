import RowMemory
package import Schema
import Storage

/// Objects without reference counting, which others retain.
typealias UnheldObjects = ContiguousArray<Unmanaged<ManagedObject>>

/// Assigns permanent primary keys to new objects, and replaces all occurrences of their temporary
/// keys.
package struct KeyAssignment {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Assigns permanent keys to new objects. Objects with a permanent key keep it.
    func obtainPermanentIDs(for objects: some Sequence<ManagedObject>) throws {
        var own: ContiguousArray<ManagedObject> = []
        var parents: [ManagedObject] = []
        for object in objects where object.key < 0 && object.registryReference != nil {
            if let parent = context.parent, !object.state.contains(.inserted) {
                parents.append(parent.registry.object(object.reference))
            } else {
                own.append(object)
            }
        }
        // The parent notifies its children of the new keys.
        if !parents.isEmpty { try context.parent?.obtainPermanentIDs(for: parents) }
        // In the order of insertion.
        own.sort { $0.key > $1.key }
        if !own.isEmpty, let stores = context.persistentStoreCoordinator.objectStores {
            try stores.identify(Array(own), in: context)
            own.removeAll { $0.key > 0 }
        }
        try withExtendedLifetime(own) { try givePermanentKeys(ContiguousArray(own.map { .passUnretained($0) })) }
    }

    /// Assigns given primary keys to new objects, for example those that the objects had in another
    /// store. The caller must make sure that the store has no objects with these primary keys.
    /// - Throws: ``GraphError`` with code `constraint` if two objects of a hierarchy would have the
    ///   same primary key.
    package func assignPermanentKeys(_ numbers: [(ManagedObject, Int64)]) throws {
        let numbers = numbers.filter { $0.0.key < 0 && $0.0.registryReference != nil }
        try checkDistinct(numbers)
        for (object, number) in numbers { givePermanentKey(object, number) }
        withExtendedLifetime(numbers) {
            replaceTemporaryKeys([UnheldObjects(numbers.map { .passUnretained($0.0) })], savedObjects: nil)
        }
    }

    /// Assigns given permanent IDs to new objects.
    /// - Throws: ``GraphError`` with code `constraint` if the context has another object with such
    ///   an ID.
    package func assignPermanentIDs(_ ids: [(object: ManagedObject, id: ManagedObjectID)]) throws {
        let numbers = try ids.map { object, id in
            guard let key = context.persistentStoreCoordinator.key(of: id) else { throw GraphError.notFound(id) }
            let reference = ObjectReference(key: key, entityIndex: Int(object.entityIndex))
            if let other = context.registry.registered(reference), other !== object {
                throw GraphError(
                    .constraint, "There is already an object \(id.shortName)", object: id, entity: id.entity.name)
            }
            return (object, key)
        }
        try assignPermanentKeys(numbers)
    }

    private func checkDistinct(_ numbers: [(ManagedObject, Int64)]) throws {
        let keys = numbers.map { (root: context.registry.rootIndex(Int($0.0.entityIndex)), number: $0.1) }.sorted {
            $0 < $1
        }
        let repeated = zip(keys, keys.dropFirst()).first { $0 == $1 }?.0 ?? keys.first { $0.number <= 0 }
        guard let repeated else { return }
        let name = context.shapes[repeated.root].entity.name
        throw GraphError(
            .constraint, "Two objects can't have the number \(repeated.number) of \(name)", entity: name)
    }

    /// Reserves primary keys for new objects of a hierarchy. Returns the first key and the objects
    /// for each store that they will be saved to.
    func reserveKeys(_ objects: UnheldObjects, _ root: Int) throws -> [(first: Int64, objects: UnheldObjects)] {
        let assigned = context.assignment.assigned
        guard !assigned.isEmpty, let union = context.persistentStoreCoordinator.union else {
            return [(try context.store().reserveKeys(entityIndex: root, count: objects.count), objects)]
        }
        var groups: [Int: UnheldObjects] = [:]
        for object in objects {
            let key = object._withUnsafeGuaranteedRef { $0.key }
            let member =
                try assigned[key].flatMap { uuid in union.members.first { $0.uuid == uuid } }
                ?? union.homeStore(of: root)
            groups[member.place, default: []].append(object)
        }
        return try groups.sorted { $0.key < $1.key }.compactMap { place, objects in
            try union.member(at: place).map {
                (try union.reserveKeys(entityIndex: root, count: objects.count, in: $0), objects)
            }
        }
    }

    /// Lets stores that make permanent IDs from objects give the new objects theirs.
    func identifyInsertedObjects() throws {
        guard context.parent == nil, let stores = context.persistentStoreCoordinator.objectStores else { return }
        let new = context.insertedObjects.filter { $0.key < 0 }.sorted { $0.key > $1.key }
        if !new.isEmpty { try stores.identify(new, in: context) }
    }

    /// Assigns permanent keys to all new objects.
    func obtainPermanentIDsForInsertedObjects() throws {
        var objects: UnheldObjects = []
        let changes = context.changes
        changes.forEach { object, index in
            guard object.key < 0, object.isInserted else { return }
            if objects.isEmpty { objects.reserveCapacity(changes.indices.count - index) }
            objects.append(.passUnretained(object))
        }
        // The changes retain the objects.
        try withExtendedLifetime(changes) { try givePermanentKeys(objects) }
    }

    func givePermanentKeys(_ objects: UnheldObjects) throws {
        guard let first = objects.first else { return }
        let root = context.registry.rootIndex(first._withUnsafeGuaranteedRef { Int($0.entityIndex) }),
            family = context.shapes[root].entity.family
        // Usually all objects belong to one hierarchy.
        let groups =
            objects.allSatisfy { $0._withUnsafeGuaranteedRef { family.contains(Int($0.entityIndex)) } }
            ? [root: objects]
            : Dictionary(grouping: objects) {
                context.registry.rootIndex($0._withUnsafeGuaranteedRef { Int($0.entityIndex) })
            }
            .mapValues { ContiguousArray($0) }
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

    /// The first step: sets the object's permanent key. The object is still registered under its
    /// temporary key, which its row keeps.
    func givePermanentKey(_ object: ManagedObject, _ key: Int64) {
        if context.tracker.recordsUndo { context.tracker.permanentKeys.set(key, for: object.key) }
        object.key = key
        context.registry.identities[context.registry.rootIndex(Int(object.entityIndex))].insert(object, key)
    }

    /// The second step: replaces all references to the temporary keys. The changes or the caller
    /// retain the objects.
    func replaceTemporaryKeys(_ renamed: [UnheldObjects], savedObjects save: SaveUnderWay?) {
        guard renamed.contains(where: { !$0.isEmpty }) else { return }
        // Only objects with changes can refer to new objects: those of the save, and those changed
        // since.
        if context.shapes.contains(where: { !$0.toOnes.isEmpty }) {
            if let save {
                for places in save.inserted + [save.updated] {
                    save.changes.forEach(at: places) { replaceTemporaryReferences(in: $0) }
                }
            }
            for index in context.changes.indices {
                guard let object = context.changes.object(at: index) else { continue }
                replaceTemporaryReferences(in: object)
                for place in context.changes.savedPositions(of: index) {
                    if case .reference(let reference?) = context.changes.saved[place].value,
                        let permanent = permanentReference(reference)
                    {
                        context.changes.replaceSaved(at: place, with: .reference(permanent))
                    }
                }
            }
        }
        var told: [RenamedKey] = []
        let tellsChildren = !context.children.isEmpty
        for objects in renamed {
            for object in objects {
                object._withUnsafeGuaranteedRef { object in
                    guard let cells = object.cells else { preconditionFailure("A new object has a row") }
                    if tellsChildren { told.append((cells.key, object.reference)) }
                    context.registry.temporaries.remove(-cells.key)
                    cells.setKey(object.key)
                }
            }
        }
        if !told.isEmpty { context.keys.tellChildren(told) }
    }

    func replaceTemporaryReferences(in object: ManagedObject) {
        let toOnes = context.shapes[Int(object.entityIndex)].toOnes
        guard !toOnes.isEmpty else { return }
        context.tracker.releaseBorrowedRow(object)
        guard let row = object.optionalRow else { return }
        for relation in toOnes {
            if let reference = row.reference(relation.slot), let permanent = permanentReference(reference) {
                row.setReference(permanent, relation.slot)
            }
        }
    }

    /// Removes references to new objects that were deleted before they were saved. Only
    /// relationships without an inverse keep them, and no store has a key for them.
    func removeReferencesToUnsavedDeletions() {
        guard context.parent == nil, context.shapes.contains(where: { $0.toOnes.contains { $0.inverse == nil } })
        else { return }
        for index in context.changes.indices {
            guard let object = context.changes.object(at: index) else { continue }
            for relation in context.shapes[Int(object.entityIndex)].toOnes where relation.inverse == nil {
                guard let reference = object.optionalRow?.reference(relation.slot), reference.key < 0,
                    context.registry.temporaries.object(-reference.key)?.isInserted != true
                else { continue }
                context.tracker.releaseBorrowedRow(object)
                object.optionalRow?.clear(relation.slot)
            }
        }
    }

    func permanentReference(_ reference: ObjectReference) -> ObjectReference? {
        guard reference.key < 0, let object = context.registry.temporaries.object(-reference.key), object.key > 0 else {
            return nil
        }
        return ObjectReference(key: object.key, entityIndex: reference.entityIndex)
    }
}
