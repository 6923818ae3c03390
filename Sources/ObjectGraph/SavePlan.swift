import RowMemory
import Schema
import Storage

/// Makes a change set of the objects with changes.
struct SavePlan {
    private let context: ManagedObjectContext
    private(set) var changes = ChangeSet()
    private(set) var underWay: SaveUnderWay
    /// A parent takes over what no store keeps.
    private let includesTransients: Bool
    private var insertionPlaces: [Int]
    private var updatePlaces: [Int]

    init(_ context: ManagedObjectContext, number: Int) {
        self.context = context
        includesTransients = context.parent != nil
        underWay = SaveUnderWay(number: number, changes: context.changes, position: context.edits.position(context.undoManager))
        insertionPlaces = [Int](repeating: -1, count: context.shapes.count)
        updatePlaces = insertionPlaces
    }

    mutating func collect() {
        let records = context.changes
        underWay.memberDeletions = context.memberDeletions
        changes.memberDeletions = context.memberDeletions.map { deletion in
            ChangeSet.MemberDeletion(
                entityIndex: deletion.relation.property.declaringEntityIndex, propertyIndex: deletion.relation.index, destinationIndex: deletion.destination,
                owners: deletion.owners.map(\.key))
        }
        for index in records.records.indices {
            guard let object = records.records[index].object else { continue }
            if object.state.contains(.inserted) {
                insert(object)
            } else if object.state.contains(.deleted) {
                delete(object)
            } else {
                update(object, index)
            }
        }
    }

    mutating func setMetadata(_ metadata: [String: MetadataValue?], origin: ChangeOrigin) {
        changes.origin = origin
        changes.metadata = metadata
        if context.parent == nil { changes.stores = context.assignedStores }
    }

    private mutating func insert(_ object: ManagedObject) {
        let entity = Int(object.entityIndex)
        if insertionPlaces[entity] < 0 {
            insertionPlaces[entity] = changes.insertions.count
            changes.insertions.append(ChangeSet.Insertions(entityIndex: entity, rows: RowBatch()))
            underWay.inserted.append([])
        }
        let place = insertionPlaces[entity]
        _ = changes.insertions[place].rows.append(copyOf: object.row)
        underWay.inserted[place].append(object)
        for relation in context.shapes[entity].toManys {
            guard let list = object.existingList(relation), !list.members.isEmpty else { continue }
            underWay.lists.append(list)
            if relation.isLinked, isNamedHere(object, relation) {
                for member in list.members where !member.state.contains(.deleted) { link(object, relation, member, isAdded: true) }
            }
            order(object, relation, list)
        }
    }

    private mutating func delete(_ object: ManagedObject) {
        underWay.deleted.append(object)
        // A fault that the store has no row for is deleted already.
        if object.state.contains(.inaccessible) {
            underWay.goneBefore.insert(object)
            return
        }
        let entity = Int(object.entityIndex)
        changes.deletions.append(ChangeSet.Deletion(entityIndex: entity, key: object.key, version: object.row.version))
        for relation in context.shapes[entity].toManys where relation.isLinked && isNamedHere(object, relation) {
            guard let list = object.existingList(relation), list.isLoaded else { continue }
            underWay.lists.append(list)
            for member in list.committedMembers { link(object, relation, member, isAdded: false) }
        }
    }

    private mutating func update(_ object: ManagedObject, _ index: Int) {
        let entity = Int(object.entityIndex)
        let shape = context.shapes[entity]
        var columns = PropertySet()
        var hasListChanges = false
        let row = object.row
        for property in context.changes.records[index].changed.places {
            let slot = shape.layout.slots[property]
            if let relation = shape.relations[property], relation.isToMany {
                guard !relation.description.isTransient, let list = object.existingList(relation), !list.changes.isEmpty else { continue }
                underWay.lists.append(list)
                guard list.differsFromSaved else { continue }
                hasListChanges = true
                if relation.isLinked { linkDifferences(object, relation, list) }
                order(object, relation, list)
            } else if includesTransients || !shape.isTransient[property] && !shape.isDerived[property],
                !context.changes.isSaved(row, slot, of: index, property: property)
            {
                columns.insert(property)
            }
        }
        guard !columns.isEmpty || hasListChanges else {
            underWay.unchanged.append(object)
            return
        }
        if updatePlaces[entity] < 0 {
            updatePlaces[entity] = changes.updates.count
            changes.updates.append(ChangeSet.Updates(entityIndex: entity))
        }
        let place = updatePlaces[entity]
        _ = changes.updates[place].rows.append(copyOf: row)
        changes.updates[place].changed.append(columns)
        underWay.updated.append(object)
    }

    // MARK: To-many relationships

    /// Each link is named from one side only: that of the relationship that stands first in the model, or from the side that has no inverse. Of two objects in one
    /// relationship that is its own inverse, the one with the smaller number (the older, for new ones) names the link.
    private func isNamedHere(_ object: ManagedObject, _ relation: EntityShape.Relation) -> Bool {
        guard let inverse = relation.inverse else { return true }
        let other = context.shapes[relation.property.destinationIndex].entity.properties[inverse.index]
        return (relation.property.declaringEntityIndex, relation.index) <= (other.declaringEntityIndex, other.index)
    }

    private func isOwnInverse(_ relation: EntityShape.Relation) -> Bool {
        guard let inverse = relation.inverse else { return false }
        let other = context.shapes[relation.property.destinationIndex].entity.properties[inverse.index]
        return other.declaringEntityIndex == relation.property.declaringEntityIndex && other.index == relation.index
    }

    private mutating func linkDifferences(_ owner: ManagedObject, _ relation: EntityShape.Relation, _ list: MemberList) {
        if isNamedHere(owner, relation) {
            for member in list.changes.added.values { link(owner, relation, member, isAdded: true) }
            for member in list.changes.removed.values where !(member.state.contains(.deleted) && isOwnInverse(relation)) {
                link(owner, relation, member, isAdded: false)
            }
            return
        }
        // The other side names it; where that is new or deleted, it names all of its links.
    }

    private mutating func link(_ owner: ManagedObject, _ relation: EntityShape.Relation, _ member: ManagedObject, isAdded: Bool) {
        if isOwnInverse(relation) {
            // Both ends have the difference; one of them tells, and it must be the same one for adding and for removing.
            let bothTell = owner.state.contains(.inserted) == member.state.contains(.inserted) && owner.state.contains(.deleted) == member.state.contains(.deleted)
            if bothTell, abs(owner.key) > abs(member.key) { return }
            // A new owner names all its links, a saved one only its differences: the new one tells.
            if !bothTell, isAdded, member.state.contains(.inserted) { return }
        }
        changes.links.append(
            ChangeSet.Link(
                entityIndex: relation.property.declaringEntityIndex, propertyIndex: relation.index, owner: owner.key,
                member: ObjectReference(key: member.key, entityIndex: Int(member.entityIndex)), isAdded: isAdded))
    }

    private mutating func order(_ owner: ManagedObject, _ relation: EntityShape.Relation, _ list: MemberList) {
        guard relation.isOrdered, !relation.description.isTransient, list.isLoaded else { return }
        let members = list.members.filter { !$0.state.contains(.deleted) }
        changes.orders.append(
            ChangeSet.Order(
                entityIndex: relation.property.declaringEntityIndex, propertyIndex: relation.index, owner: owner.key,
                members: members.map { ObjectReference(key: $0.key, entityIndex: Int($0.entityIndex)) }))
    }
}
