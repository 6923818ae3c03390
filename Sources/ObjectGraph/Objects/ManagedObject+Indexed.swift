package import RowMemory
package import Schema

/// Properties by their index in the entity, for programs that look names up once. What the caller
/// does wrong is thrown here, where the other accessors trap.
extension ManagedObject {
    /// The object's primary key, negative for a new one, and the index of its entity in the model.
    /// - Throws: `GraphError` with code `objectNotFound` for an object without a context.
    package final func identity() throws -> (key: Int64, entityIndex: Int) {
        try checkContext()
        return (key, Int(entityIndex))
    }

    /// The entity; nil for an object without a context.
    package final var knownEntity: EntityDescription? { registryReference == nil ? nil : shape.entity }

    /// The value of a property, as ``propertyValue(forKey:)`` gives it.
    package final func propertyValue(at index: Int) throws -> PropertyValue {
        try checkContext()
        noteReading(index)
        try fulfillFault()
        return try propertyValue(at: index, shape)
    }

    /// The index of the entity in the model; nil for an object without a context.
    package final var knownEntityIndex: Int? { registryReference == nil ? nil : Int(entityIndex) }

    /// Reads several properties. What is looked up for an object is looked up once. Negative
    /// indexes are passed over.
    /// - Parameters:
    ///   - readAttribute: Called with the position in `indexes`, the object's row and the slot of
    ///     an attribute.
    ///   - readRelationship: Called with the position and the value of a relationship.
    package final func readProperties(
        at indexes: [Int], attributes readAttribute: (Int, Row, RowSlot) -> Void,
        relationships readRelationship: (Int, PropertyValue) -> Void
    ) throws {
        try checkContext()
        try fulfillFault()
        let shape = self.shape, row = self.row, slots = shape.layout.slots
        for position in indexes.indices where indexes[position] >= 0 {
            let index = indexes[position], slot = slots[index]
            noteReading(index)
            switch slot.kind {
            case .toOne, .toMany: readRelationship(position, try propertyValue(at: index, shape))
            default: readAttribute(position, row, slot)
            }
        }
    }

    /// Sets several attributes to what `value` gives for their positions in `indexes`. Where there
    /// is no value, nil changes nothing.
    /// - Throws: The same errors as ``setPropertyValue(_:forKey:)``; what is set until then stays.
    package final func setAttributeValues(at indexes: [Int], _ value: (Int) -> PropertyValue) throws {
        try fulfillFault()
        let shape = self.shape
        for position in indexes.indices {
            let value = value(position)
            if value.isNull, !row.hasValue(shape.layout.slots[indexes[position]]) { continue }
            try setAttribute(value, indexes[position], shape)
        }
    }

    /// The object of a to-one relationship.
    package final func relatedObject(at index: Int) throws -> ManagedObject? {
        let relation = try knownRelation(at: index, isToMany: false)
        noteReading(index)
        try fulfillFault()
        return context.registry.target(self, relation.slot)
    }

    /// The objects of a to-many relationship, in its order or by entity and primary key.
    package final func relatedObjects(at index: Int) throws -> [ManagedObject] {
        let relation = try knownRelation(at: index, isToMany: true)
        noteReading(index)
        try fulfillFault()
        let members = try context.members.membersOrThrow(self, relation)
        if relation.isOrdered { return Array(members) }
        return members.sorted { ($0.entityIndex, $0.key) < ($1.entityIndex, $1.key) }
    }

    /// Sets a to-one relationship.
    package final func setRelatedObject(_ target: ManagedObject?, at index: Int) throws {
        let relation = try knownRelation(at: index, isToMany: false)
        try fulfillFault()
        if let target { try check(target, relation, shape) }
        context.relationships.setTarget(self, relation, target)
    }

    /// Adds an object to a to-many relationship; one that is a member already stays where it is,
    /// unless `position` says where it is to be.
    /// - Throws: `GraphError` with code `wrongType` for a position in an unordered relationship, or
    ///   beyond its end.
    package final func addRelatedObject(_ member: ManagedObject, at index: Int, position: Int?) throws {
        let relation = try knownRelation(at: index, isToMany: true)
        try fulfillFault()
        try check(member, relation, shape)
        var members = Array(try context.members.membersOrThrow(self, relation))
        let current = members.firstIndex { $0 === member }
        guard let position else {
            if current == nil { context.relationships.add(member, to: self, relation) }
            return
        }
        let end = members.count - (current == nil ? 0 : 1)
        guard relation.isOrdered, (0...end).contains(position) else {
            throw GraphError(
                .wrongType,
                relation.isOrdered
                    ? "There is no index \(position) in \(shape.entity.name).\(relation.property.name)"
                    : "\(shape.entity.name).\(relation.property.name) is not ordered",
                entity: shape.entity.name, key: relation.property.name)
        }
        guard let current else {
            return context.relationships.add(member, to: self, relation, at: position)
        }
        members.remove(at: current)
        members.insert(member, at: position)
        context.relationships.reorder(self, relation, ContiguousArray(members))
    }

    /// Removes an object from a to-many relationship.
    package final func removeRelatedObject(_ member: ManagedObject, at index: Int) throws {
        let relation = try knownRelation(at: index, isToMany: true)
        try fulfillFault()
        try check(member, relation, shape)
        context.relationships.remove(member, from: self, relation)
    }

    private final func knownRelation(at index: Int, isToMany: Bool) throws -> EntityShape.Relation {
        try checkContext()
        let shape = self.shape
        guard let relation = shape.relations[index], relation.isToMany == isToMany else {
            throw GraphError(
                .wrongType,
                "\(shape.entity.name).\(shape.entity.properties[index].name) is no \(isToMany ? "to-many" : "to-one") relationship",
                entity: shape.entity.name, key: shape.entity.properties[index].name)
        }
        return relation
    }
}

extension ManagedObjectContext {
    /// The ID with a key, negative for new objects of this context, and an entity; nil where it can
    /// name no object.
    package func objectID(withKey key: Int64, entityAt index: Int) -> ManagedObjectID? {
        guard key != 0, model.entities.indices.contains(index) else { return nil }
        if key < 0 { return ManagedObjectID(store: temporaryIdentity, entityIndex: index, key: key) }
        return persistentStoreCoordinator.objectID(key: key, entityIndex: index)
    }
}
