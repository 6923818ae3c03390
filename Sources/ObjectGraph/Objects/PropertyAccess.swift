package import RowMemory
package import Schema

/// Reads and writes the properties of one object by their index in the entity, for programs that
/// look names up once. What the caller does wrong is thrown here, where the accessors of the object
/// trap.
package struct PropertyAccess {
    let object: ManagedObject

    package init(_ object: ManagedObject) { self.object = object }

    /// The object's primary key, negative for a new one, and the index of its entity in the model.
    /// - Throws: `GraphError` with code `objectNotFound` for an object without a context.
    package func identity() throws -> (key: Int64, entityIndex: Int) {
        try object.checkContext()
        return (object.key, Int(object.entityIndex))
    }

    /// The entity; nil for an object without a context.
    package var entity: EntityDescription? { object.registryReference == nil ? nil : object.shape.entity }

    /// The index of the entity in the model; nil for an object without a context.
    package var entityIndex: Int? { object.registryReference == nil ? nil : Int(object.entityIndex) }

    /// The value of a property, as ``ManagedObject/propertyValue(forKey:)`` gives it.
    package func value(at index: Int) throws -> PropertyValue {
        try object.checkContext()
        object.noteReading(index)
        try object.fulfillFault()
        return try value(at: index, object.shape)
    }

    func value(at index: Int, _ shape: EntityShape) throws -> PropertyValue {
        guard let relation = shape.relations[index] else { return object.row.value(shape.layout.slots[index]) }
        if !relation.isToMany {
            return object.row.reference(relation.slot).map {
                .object(object.context.lookup.objectID(key: $0.key, entityIndex: $0.entityIndex))
            } ?? .null
        }
        return .list(try members(relation).map { .object($0.objectID) })
    }

    private func members(_ relation: EntityShape.Relation) throws -> [ManagedObject] {
        let members = try object.context.members.membersOrThrow(object, relation)
        if relation.isOrdered { return Array(members) }
        return members.sorted { ($0.entityIndex, $0.key) < ($1.entityIndex, $1.key) }
    }

    /// Reads several properties. What is looked up for an object is looked up once. Negative
    /// indexes are passed over.
    /// - Parameters:
    ///   - readAttribute: Called with the position in `indexes`, the object's row and the slot of
    ///     an attribute.
    ///   - readRelationship: Called with the position and the value of a relationship.
    package func readProperties(
        at indexes: [Int], attributes readAttribute: (Int, Row, RowSlot) -> Void,
        relationships readRelationship: (Int, PropertyValue) -> Void
    ) throws {
        try object.checkContext()
        try object.fulfillFault()
        let shape = object.shape, row = object.row, slots = shape.layout.slots
        for position in indexes.indices where indexes[position] >= 0 {
            let index = indexes[position], slot = slots[index]
            object.noteReading(index)
            switch slot.kind {
            case .toOne, .toMany: readRelationship(position, try value(at: index, shape))
            default: readAttribute(position, row, slot)
            }
        }
    }

    /// Sets an attribute.
    /// - Throws: The same errors as ``ManagedObject/setPropertyValue(_:forKey:)``.
    package func setAttributeValue(_ value: PropertyValue, at index: Int) throws {
        try object.fulfillFault()
        try setAttribute(value, index, object.shape)
    }

    /// Sets several attributes to what `value` gives for their positions in `indexes`. Where there
    /// is no value, nil changes nothing.
    /// - Throws: The same errors as ``ManagedObject/setPropertyValue(_:forKey:)``; what is set
    ///   until then stays.
    package func setAttributeValues(at indexes: [Int], _ value: (Int) -> PropertyValue) throws {
        try object.fulfillFault()
        let shape = object.shape
        for position in indexes.indices {
            let value = value(position)
            if value.isNull, !object.row.hasValue(shape.layout.slots[indexes[position]]) { continue }
            try setAttribute(value, indexes[position], shape)
        }
    }

    /// The object of a to-one relationship.
    package func relatedObject(at index: Int) throws -> ManagedObject? {
        let relation = try knownRelation(at: index, isToMany: false)
        object.noteReading(index)
        try object.fulfillFault()
        return object.context.registry.target(object, relation.slot)
    }

    /// The objects of a to-many relationship, in its order or by entity and primary key.
    package func relatedObjects(at index: Int) throws -> [ManagedObject] {
        let relation = try knownRelation(at: index, isToMany: true)
        object.noteReading(index)
        try object.fulfillFault()
        return try members(relation)
    }

    /// Sets a to-one relationship.
    package func setRelatedObject(_ target: ManagedObject?, at index: Int) throws {
        let relation = try knownRelation(at: index, isToMany: false)
        try object.fulfillFault()
        if let target { try check(target, relation, object.shape) }
        object.context.relationships.setTarget(object, relation, target)
    }

    /// Adds an object to a to-many relationship; one that is a member already stays where it is,
    /// unless `position` says where it is to be.
    /// - Throws: `GraphError` with code `wrongType` for a position in an unordered relationship, or
    ///   beyond its end.
    package func addRelatedObject(_ member: ManagedObject, at index: Int, position: Int?) throws {
        let relation = try knownRelation(at: index, isToMany: true)
        try object.fulfillFault()
        let shape = object.shape
        try check(member, relation, shape)
        var members = Array(try object.context.members.membersOrThrow(object, relation))
        let current = members.firstIndex { $0 === member }
        guard let position else {
            if current == nil { object.context.relationships.add(member, to: object, relation) }
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
            return object.context.relationships.add(member, to: object, relation, at: position)
        }
        members.remove(at: current)
        members.insert(member, at: position)
        object.context.relationships.reorder(object, relation, ContiguousArray(members))
    }

    /// Removes an object from a to-many relationship.
    package func removeRelatedObject(_ member: ManagedObject, at index: Int) throws {
        let relation = try knownRelation(at: index, isToMany: true)
        try object.fulfillFault()
        try check(member, relation, object.shape)
        object.context.relationships.remove(member, from: object, relation)
    }

    private func knownRelation(at index: Int, isToMany: Bool) throws -> EntityShape.Relation {
        try object.checkContext()
        let shape = object.shape
        guard let relation = shape.relations[index], relation.isToMany == isToMany else {
            throw GraphError(
                .wrongType,
                "\(shape.entity.name).\(shape.entity.properties[index].name) is no \(isToMany ? "to-many" : "to-one") relationship",
                entity: shape.entity.name, key: shape.entity.properties[index].name)
        }
        return relation
    }

    // MARK: Checked writing

    func setAttribute(_ value: PropertyValue, _ index: Int, _ shape: EntityShape) throws {
        let slot = shape.layout.slots[index]
        let converted =
            value.isOwn(of: slot.kind) ? value : try shape.converted(value, for: shape.entity.properties[index])
        guard object.fireFault() else { return }
        object.noteWriting(slot)
        _ = object.row.setValue(converted, slot)
    }

    /// Throws if `target` can't be a destination of a relationship.
    func check(_ target: ManagedObject, _ relation: EntityShape.Relation, _ shape: EntityShape) throws {
        guard target.registryReference?.toOpaque() == object.registryReference?.toOpaque() else {
            throw GraphError(
                .foreignObject,
                "\(shape.entity.name).\(relation.property.name) can't lead to an object of another context: fetch it here by its objectID",
                entity: shape.entity.name, key: relation.property.name)
        }
        guard target.entity.isKind(of: object.registry.shapes[relation.property.destinationIndex].entity) else {
            throw GraphError.wrongType("an object of \(target.entity.name)", for: relation.property, of: shape.entity)
        }
    }
}

extension PropertyValue {
    /// Whether attributes with such a slot have the value as it is, so that nothing is converted.
    fileprivate func isOwn(of kind: SlotKind) -> Bool {
        switch (kind, self) {
        case (.int, .int), (.bool, .bool), (.double, .double), (.float, .float), (.decimal, .decimal),
            (.date, .date), (.string, .string), (.uuid, .uuid):
            true
        default: false
        }
    }
}
