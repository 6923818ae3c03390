import RowMemory
import Schema
import Storage

/// Creates a change set from the objects with changes.
struct SavePlan {
    private let context: ManagedObjectContext
    private(set) var changes = ChangeSet()
    private(set) var underWay: SaveUnderWay
    private let records: ChangeRecords
    /// Whether to include transient values, which a parent context saves but a store does not.
    private let includesTransients: Bool
    private let lendsRows: Bool
    private var insertionPositions: [Int]
    private var updatePositions: [Int]

    init(_ context: ManagedObjectContext, number: Int) {
        self.context = context
        includesTransients = context.parent != nil
        records = context.changes
        lendsRows = records.count >= Self.manyRows
        underWay = SaveUnderWay(
            number: number, changes: context.changes, position: context.tracker.edits.position(context.undoManager))
        insertionPositions = [Int](repeating: -1, count: context.shapes.count)
        updatePositions = insertionPositions
    }

    /// From this number of changes on, rows are lent to the store. Fewer rows are copied: that
    /// costs less than allocating new slabs for the following insertions.
    private static let manyRows = 256

    /// The slab of an object's row if the row can be lent; nil if it must be copied.
    ///
    /// Rows with to-many relationships are copied, because their member lists are not thread-safe
    /// and can change while the store reads. So are listed rows, which other objects can use, too.
    private func borrowedSlab(_ object: ManagedObject, _ layout: RowLayout) -> RowSlab? {
        lendsRows && !layout.hasToMany && !object.isListed ? object.slab : nil
    }

    private mutating func noteBorrowed(_ slab: RowSlab) {
        slab.isBorrowed = true
        underWay.borrowedSlabs.append(slab)
    }

    mutating func collect() {
        underWay.memberDeletions = context.pendingDeletions.memberDeletions
        changes.memberDeletions = context.pendingDeletions.memberDeletions.map { deletion in
            ChangeSet.MemberDeletion(
                entityIndex: deletion.relation.property.declaringEntityIndex, propertyIndex: deletion.relation.index,
                destinationIndex: deletion.destination,
                owners: deletion.owners.map(\.key))
        }
        records.forEach { object, index in
            if object.state.contains(.inserted) {
                insert(object, index)
            } else if object.state.contains(.deleted) {
                delete(object, index)
            } else {
                update(object, index)
            }
        }
    }

    mutating func setMetadata(_ metadata: [String: MetadataValue?], origin: ChangeOrigin) {
        changes.origin = origin
        changes.metadata = metadata
        if context.parent == nil { changes.stores = context.assignment.assigned }
    }

    private mutating func insert(_ object: ManagedObject, _ index: Int) {
        guard let cells = object.cells else { preconditionFailure("A new object has a row") }
        let entity = Int(object.entityIndex)
        if insertionPositions[entity] < 0 {
            insertionPositions[entity] = changes.insertions.count
            changes.insertions.append(ChangeSet.Insertions(entityIndex: entity, rows: RowBatch()))
            underWay.inserted.append([])
        }
        let place = insertionPositions[entity]
        underWay.inserted[place].append(Int32(index))
        context.registry.shapeReferences[entity]._withUnsafeGuaranteedRef { shape in
            if let slab = borrowedSlab(object, shape.layout) {
                if changes.insertions[place].rows.append(lent: slab, cells) { noteBorrowed(slab) }
            } else {
                changes.insertions[place].rows.append(copyOf: cells, shape.layout)
            }
            if !shape.toManys.isEmpty { insertMembers(object, shape) }
        }
    }

    private mutating func insertMembers(_ object: ManagedObject, _ shape: EntityShape) {
        for relation in shape.toManys {
            guard let list = object.existingList(relation), !list.members.isEmpty else { continue }
            underWay.lists.append(list)
            if relation.isLinked, isNamedHere(object, relation) {
                for member in list.members where !member.state.contains(.deleted) {
                    link(object, relation, member, isAdded: true)
                }
            }
            order(object, relation, list)
        }
    }

    private mutating func delete(_ object: ManagedObject, _ index: Int) {
        underWay.deleted.append(Int32(index))
        // A fault without a row in the store is already deleted there.
        if object.state.contains(.inaccessible) {
            underWay.goneBefore.insert(object)
            return
        }
        guard let cells = object.cells else { preconditionFailure("An object that is deleted was read") }
        let entity = Int(object.entityIndex)
        changes.deletions.append(ChangeSet.Deletion(entityIndex: entity, key: object.key, version: cells.version))
        context.registry.shapeReferences[entity]._withUnsafeGuaranteedRef { shape in
            for relation in shape.toManys where relation.isLinked && isNamedHere(object, relation) {
                guard let list = object.existingList(relation), list.isLoaded else { continue }
                underWay.lists.append(list)
                for member in list.committedMembers { link(object, relation, member, isAdded: false) }
            }
        }
    }

    private mutating func update(_ object: ManagedObject, _ index: Int) {
        guard let cells = object.cells else { preconditionFailure("An object that was changed has a row") }
        let entity = Int(object.entityIndex)
        context.registry.shapeReferences[entity]._withUnsafeGuaranteedRef { shape in
            var hasListChanges = false
            let columns = changedColumns(object, cells, shape, index, &hasListChanges)
            guard !columns.isEmpty || hasListChanges else {
                underWay.unchanged.append(Int32(index))
                return
            }
            if updatePositions[entity] < 0 {
                updatePositions[entity] = changes.updates.count
                changes.updates.append(ChangeSet.Updates(entityIndex: entity))
            }
            let place = updatePositions[entity]
            if let slab = borrowedSlab(object, shape.layout) {
                if changes.updates[place].rows.append(lent: slab, cells) { noteBorrowed(slab) }
            } else {
                changes.updates[place].rows.append(copyOf: cells, shape.layout)
            }
            changes.updates[place].changed.append(columns)
            underWay.updated.append(Int32(index))
        }
    }

    /// The properties of an object that have columns and differ from the saved values.
    private mutating func changedColumns(
        _ object: ManagedObject, _ cells: RowCells, _ shape: EntityShape, _ index: Int, _ hasListChanges: inout Bool
    ) -> PropertySet {
        // The common case: only attributes and to-one relationships among the first 64 properties
        // changed.
        if let changed = records.narrowChanged(at: index), changed & ~shape.storedColumns == 0 {
            var left = changed, columns: UInt64 = 0
            while left != 0 {
                let property = left.trailingZeroBitCount
                left &= left - 1
                if !records.isSaved(cells, shape.layout.slots[property], of: index, property: property) {
                    columns |= 1 << UInt64(property)
                }
            }
            return PropertySet(low: columns)
        }
        var columns = PropertySet()
        for property in records.changed(at: index).places {
            if let relation = shape.relations[property], relation.isToMany {
                guard !relation.description.isTransient, let list = object.existingList(relation), !list.changes.isEmpty
                else { continue }
                underWay.lists.append(list)
                guard list.differsFromSaved else { continue }
                hasListChanges = true
                if relation.isLinked { linkDifferences(object, relation, list) }
                order(object, relation, list)
            } else if includesTransients || !shape.isTransient[property] && !shape.isDerived[property],
                !records.isSaved(cells, shape.layout.slots[property], of: index, property: property)
            {
                columns.insert(property)
            }
        }
        return columns
    }

    // MARK: To-many relationships

    /// Each link is recorded from one side only: that of the relationship that comes first in the
    /// model, or the side without an inverse. For a relationship that is its own inverse, the
    /// object with the smaller primary key (for new objects, the older one) records the link.
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

    private mutating func linkDifferences(_ owner: ManagedObject, _ relation: EntityShape.Relation, _ list: MemberList)
    {
        if isNamedHere(owner, relation) {
            for member in list.changes.added.values { link(owner, relation, member, isAdded: true) }
            for member in list.changes.removed.values where !(member.state.contains(.deleted) && isOwnInverse(relation))
            {
                link(owner, relation, member, isAdded: false)
            }
            return
        }
        // The other side records the changes. If it is new or deleted, it records all its links.
    }

    private mutating func link(
        _ owner: ManagedObject, _ relation: EntityShape.Relation, _ member: ManagedObject, isAdded: Bool
    ) {
        if isOwnInverse(relation) {
            // Both ends have the change. Only one of them records it, and it must be the same one
            // for additions and removals.
            let bothTell =
                owner.state.contains(.inserted) == member.state.contains(.inserted)
                && owner.state.contains(.deleted) == member.state.contains(.deleted)
            if bothTell, abs(owner.key) > abs(member.key) { return }
            // A new owner records all its links, a saved one only its changes: so the new one
            // records this link.
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
