import RowMemory
import Schema
import Storage

/// Reads the members of to-many relationships.
struct MemberLoader {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// The list of a to-many relationship, loaded or not. The owner must not be a fault.
    func list(_ owner: ManagedObject, _ relation: EntityShape.Relation) -> MemberList {
        if let list = owner.existingList(relation) { return list }
        // A row with version 0 is not in the store, also while its first save is in progress.
        let isNew = owner.row.version == 0 || owner.state.contains(.inserted)
        let list = MemberList(isOrdered: relation.isOrdered, isLoaded: isNew || relation.description.isTransient)
        owner.row.setMembers(list, relation.slot)
        return list
    }

    /// The loaded list of a to-many relationship. Reading the first list of a fetch also reads
    /// those of other objects of the fetch.
    func loadedList(_ owner: ManagedObject, _ relation: EntityShape.Relation) -> MemberList {
        let list = self.list(owner, relation)
        if !list.isLoaded {
            do { try loadLists(of: siblings(of: owner, relation), relation) } catch {
                context.note(error)
            }
        }
        return list
    }

    /// The members of a to-many relationship. Throws if they can't be read.
    func membersOrThrow(_ owner: ManagedObject, _ relation: EntityShape.Relation) throws -> ContiguousArray<
        ManagedObject
    > {
        let list = self.list(owner, relation)
        if !list.isLoaded { try loadLists(of: siblings(of: owner, relation), relation) }
        return list.members
    }

    /// The members of a relationship, as a collection for the application.
    func shownMembers<Member>(of owner: ManagedObject, _ relation: EntityShape.Relation) -> ManagedObjects<Member> {
        // Observation identifies values by their object, so objects must exist.
        ManagedObjects(loadedList(owner, relation), makesObjects: context.registry.registrars != nil)
    }

    /// The objects at the other end of a relationship.
    func targets(_ object: ManagedObject, _ relation: EntityShape.Relation) -> [ManagedObject] {
        relation.isToMany
            ? Array(loadedList(object, relation).members)
            : [context.registry.target(object, relation.slot)].compactMap { $0 }
    }

    // MARK: Reading

    /// The owner, and other objects of the same fetch whose members are not loaded: at first those
    /// of the same slab, and many more once members for another slab were read. This way, accessing
    /// the objects one after the other takes few queries, and accessing a single object reads
    /// little more than necessary.
    func siblings(of owner: ManagedObject, _ relation: EntityShape.Relation) -> [ManagedObject] {
        guard let slab = owner.slab else { return [owner] }
        let identities = context.registry.identities[context.registry.rootIndex(Int(owner.entityIndex))]
        var owners = [owner]
        func consider(_ object: ManagedObject) {
            guard object !== owner, !object.state.contains(.inserted), object.existingList(relation)?.isLoaded != true
            else { return }
            owners.append(object)
        }
        if let most = context.memberReadings.nextCount(source: slab.source, relation) {
            func take(_ key: Int64) -> Bool {
                if let object = identities.object(key), object.slab?.source == slab.source,
                    object.entityIndex == owner.entityIndex
                {
                    consider(object)
                }
                return owners.count < most
            }
            identities.known.forEach(from: owner.key, take)
            if owners.count < most { identities.known.forEach { $0 < owner.key && take($0) } }
        } else {
            for index in 0..<slab.count {
                let row = slab.row(at: index)
                // Skip rows whose object does not exist or has another row now.
                if row.key > 0, let object = identities.object(row.key), object.slab === row.slab,
                    object.optionalRow?.isSame(as: row) == true
                {
                    consider(object)
                }
            }
        }
        context.memberReadings.note(owners.count, source: slab.source, relation)
        return owners
    }

    /// Reads the members of several owners with one query.
    func loadLists(of owners: [ManagedObject], _ relation: EntityShape.Relation) throws {
        let batch = try context.store().related(
            entityIndex: Int(relation.property.declaringEntityIndex), propertyIndex: relation.index,
            owners: owners.map(\.key), includingRows: true)
        defer { for owner in owners { context.merging.adjustMembers(of: owner, relation) } }
        if let runs = batch.runs { return load(batch.rows, runs, of: owners, relation) }
        // Retained until the lists retain them.
        let objects = context.registry.adopt(batch.rows)
        withExtendedLifetime(objects) {
            for (owner, references) in zip(owners, batch.members) {
                var members: ContiguousArray<ManagedObject> = []
                members.reserveCapacity(references.count)
                for reference in references { members.append(context.registry.object(reference)) }
                context.registry.noteChange(owner, relation.index)
                list(owner, relation).load(members)
            }
        }
    }

    /// Sets the members of several owners' lists.
    /// - Parameter runs: The owners of the rows, from the first row to the last.
    func load(
        _ rows: RowBatch, _ runs: ContiguousArray<RelatedBatch.Run>, of owners: [ManagedObject],
        _ relation: EntityShape.Relation
    ) {
        var parts = ContiguousArray<ContiguousArray<RowRun>>(repeating: [], count: owners.count)
        var next = 0, left = 0, owner = 0
        let isOneEntity = rows.forEachSlab { slab in
            var place = 0
            while place < slab.count {
                if left == 0 {
                    (owner, left) = (Int(runs[next].owner), Int(runs[next].count))
                    next += 1
                }
                let count = min(left, slab.count - place)
                let start = parts[owner].last.map { $0.start + $0.count } ?? 0
                parts[owner].append(RowRun(slab: slab, first: place, count: count, start: start))
                place += count
                left -= count
            }
        }
        precondition(isOneEntity, "Runs are of rows of one entity")
        let entityIndex = relation.property.destinationIndex
        let staysRows =
            context.registry.isPlain[entityIndex] && context.parent == nil && context.registry.registrars == nil
            && !context.retainsRegisteredObjects
        for (owner, runs) in zip(owners, parts) {
            context.registry.noteChange(owner, relation.index)
            let list = self.list(owner, relation)
            if staysRows, list.takesRows, let rows = MemberRows(runs, entityIndex: entityIndex, context.registry) {
                list.load(rows)
            } else {
                list.load(context.registry.adopt(runs))
            }
        }
    }
}
