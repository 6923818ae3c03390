import Foundation
import RowMemory
public import Schema

extension ManagedObject {
    /// What ``value(forKey:)`` gives where no subclass says otherwise.
    package final func plainValue(forKey key: String) -> Any? {
        guard registryReference != nil else { return nil }
        let shape = self.shape
        guard let index = shape.entity.propertyIndex(named: key) else {
            guard let property = fetchedProperty(named: key) else {
                preconditionFailure(GraphError.unknownKey(key, of: shape.entity).message)
            }
            return fetchedObjectsOrNone(of: property)
        }
        noteReading(index)
        guard fireFault() else { return nil }
        if let relation = shape.relations[index] {
            if !relation.isToMany { return context.registry.target(self, relation.slot) }
            let members = context.members.loadedList(self, relation).members
            return relation.isOrdered ? Array(members) : Set(members)
        }
        return row.value(shape.layout.slots[index]).plain
    }

    /// What ``setValue(_:forKey:)`` does where no subclass says otherwise.
    package final func setPlainValue(_ value: Any?, forKey key: String) {
        let (shape, index) = knownProperty(key)
        do {
            if let relation = shape.relations[index] {
                try setRelationship(value, relation, shape)
            } else {
                guard let plain = PropertyValue(value) else {
                    throw GraphError.wrongType(
                        PropertyValue.swiftTypeName(value), for: shape.entity.properties[index], of: shape.entity)
                }
                try setAttribute(plain, index, shape)
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// The value of a property, as with ``value(forKey:)`` and ``setValue(_:forKey:)``.
    public final subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }

    /// The value of a property as a ``PropertyValue``, with objects as their IDs; fires a fault.
    ///
    /// - Throws: ``GraphError`` with code `unknownKey`, or `objectNotFound` for an object without a
    ///   context and for a fault that can't be fired; errors of the store.
    public final func propertyValue(forKey key: String) throws -> PropertyValue {
        try checkContext()
        let shape = self.shape
        guard let index = shape.entity.propertyIndex(named: key) else {
            return .list(try fetchedObjects(forKey: key).map { .object($0.objectID) })
        }
        noteReading(index)
        try fulfillFault()
        return try propertyValue(at: index, shape)
    }

    final func propertyValue(at index: Int, _ shape: EntityShape) throws -> PropertyValue {
        guard let relation = shape.relations[index] else { return row.value(shape.layout.slots[index]) }
        if !relation.isToMany {
            return row.reference(relation.slot).map {
                .object(context.objectID(key: $0.key, entityIndex: $0.entityIndex))
            } ?? .null
        }
        let members = try context.members.membersOrThrow(self, relation)
        let sorted =
            relation.isOrdered ? Array(members) : members.sorted { ($0.entityIndex, $0.key) < ($1.entityIndex, $1.key) }
        return .list(sorted.map { .object($0.objectID) })
    }

    /// Sets a property from a ``PropertyValue``, with objects as their IDs.
    ///
    /// - Throws: ``GraphError`` with code `unknownKey`, `wrongType`, or `objectNotFound` if an ID
    ///   has no object; errors of the store.
    public final func setPropertyValue(_ value: PropertyValue, forKey key: String) throws {
        try checkContext()
        let shape = self.shape
        guard let index = shape.entity.propertyIndex(named: key) else {
            throw GraphError.unknownKey(key, of: shape.entity)
        }
        try fulfillFault()
        guard let relation = shape.relations[index] else {
            try setAttribute(value, index, shape)
            return
        }
        switch value {
        case .null: try setRelationship(nil, relation, shape)
        case .object(let id) where !relation.isToMany:
            try setRelationship(context.existingObject(with: id), relation, shape)
        case .list(let values) where relation.isToMany:
            let members = try values.map { value -> ManagedObject in
                guard case .object(let id) = value else {
                    throw GraphError.wrongType(value.typeName, for: relation.property, of: shape.entity)
                }
                return try context.existingObject(with: id)
            }
            try setRelationship(members, relation, shape)
        default: throw GraphError.wrongType(value.typeName, for: relation.property, of: shape.entity)
        }
    }

    /// Sets an attribute by its index among the properties of the entity, which saves the lookup of
    /// its name.
    /// - Throws: The same errors as ``setPropertyValue(_:forKey:)``.
    package final func setAttributeValue(_ value: PropertyValue, at index: Int) throws {
        try fulfillFault()
        try setAttribute(value, index, shape)
    }

    /// What ``primitiveValue(forKey:)`` gives where no subclass says otherwise.
    package final func plainPrimitiveValue(forKey key: String) -> Any? {
        guard registryReference != nil else { return nil }
        let (shape, index) = knownProperty(key)
        guard let row = optionalRow else { return nil }
        if let relation = shape.relations[index] {
            if !relation.isToMany { return context.registry.target(self, relation.slot) }
            let members = context.members.loadedList(self, relation).members
            return relation.isOrdered ? Array(members) : Set(members)
        }
        return row.value(shape.layout.slots[index]).plain
    }

    /// What ``setPrimitiveValue(_:forKey:)`` does where no subclass says otherwise.
    package final func setPlainPrimitiveValue(_ value: Any?, forKey key: String) {
        let (shape, index) = knownProperty(key)
        guard fireFault() else { return }
        let context = self.context
        context.tracker.untrackedDepth += 1
        defer { context.tracker.untrackedDepth -= 1 }
        setPlainValue(value, forKey: shape.entity.properties[index].name)
    }

    /// Notes that the value of a key is about to change, as setting it would.
    final func noteChange(ofValueForKey key: String) {
        guard registryReference != nil else { return }
        let shape = self.shape
        guard let index = shape.entity.propertyIndex(named: key), !shape.entity.properties[index].isToMany, fireFault()
        else { return }
        noteWriting(shape.layout.slots[index])
    }

    final func knownProperty(_ key: String) -> (EntityShape, Int) {
        let shape = self.shape
        guard let index = shape.entity.propertyIndex(named: key) else {
            preconditionFailure(GraphError.unknownKey(key, of: shape.entity).message)
        }
        return (shape, index)
    }

    final func setAttribute(_ value: PropertyValue, _ index: Int, _ shape: EntityShape) throws {
        let slot = shape.layout.slots[index]
        let converted =
            value.isOwn(of: slot.kind) ? value : try shape.converted(value, for: shape.entity.properties[index])
        guard fireFault() else { return }
        noteWriting(slot)
        _ = row.setValue(converted, slot)
    }

    private final func setRelationship(_ value: Any?, _ relation: EntityShape.Relation, _ shape: EntityShape) throws {
        if !relation.isToMany {
            guard value == nil || value is ManagedObject else {
                throw GraphError.wrongType("\(type(of: value))", for: relation.property, of: shape.entity)
            }
            let target = value as? ManagedObject
            try target.map { try check($0, relation, shape) }
            context.relationships.setTarget(self, relation, target)
            return
        }
        let members: [ManagedObject]
        switch value {
        case nil: members = []
        case let set as Set<ManagedObject> where !relation.isOrdered: members = Array(set)
        case let array as [ManagedObject]: members = array
        default: throw GraphError.wrongType("\(type(of: value))", for: relation.property, of: shape.entity)
        }
        for member in members { try check(member, relation, shape) }
        context.relationships.replaceMembers(of: self, relation, by: members)
    }

    /// Throws if `target` can't be a destination of a relationship.
    final func check(_ target: ManagedObject, _ relation: EntityShape.Relation, _ shape: EntityShape) throws {
        guard target.registryReference?.toOpaque() == registryReference?.toOpaque() else {
            throw GraphError(
                .foreignObject,
                "\(shape.entity.name).\(relation.property.name) can't lead to an object of another context: fetch it here by its objectID",
                entity: shape.entity.name, key: relation.property.name)
        }
        guard target.entity.isKind(of: registry.shapes[relation.property.destinationIndex].entity) else {
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
