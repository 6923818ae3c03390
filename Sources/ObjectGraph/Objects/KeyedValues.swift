import RowMemory
import Schema

/// Reads and writes the properties of one object by their names: what the methods of
/// ``ManagedObject`` do where no subclass overrides them.
package struct KeyedValues {
    let object: ManagedObject

    package init(_ object: ManagedObject) { self.object = object }

    // MARK: Values that fire faults

    /// What ``ManagedObject/value(forKey:)`` gives.
    package func value(forKey key: String) -> Any? {
        guard object.registryReference != nil else { return nil }
        let shape = object.shape
        guard let index = shape.entity.propertyIndex(named: key) else {
            guard let property = fetchedProperty(named: key) else {
                preconditionFailure(GraphError.unknownKey(key, of: shape.entity).message)
            }
            return fetchedObjects(of: property)
        }
        object.noteReading(index)
        return object.fireFault() ? presentValue(at: index, shape) : nil
    }

    /// What ``ManagedObject/setValue(_:forKey:)`` does.
    package func setValue(_ value: Any?, forKey key: String) {
        let (shape, index) = knownProperty(key)
        do {
            if let relation = shape.relations[index] {
                try setRelationship(value, relation, shape)
            } else {
                guard let plain = PropertyValue(value) else {
                    throw GraphError.wrongType(
                        PropertyValue.swiftTypeName(value), for: shape.entity.properties[index], of: shape.entity)
                }
                try PropertyAccess(object).setAttribute(plain, index, shape)
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// What ``ManagedObject/propertyValue(forKey:)`` gives.
    func propertyValue(forKey key: String) throws -> PropertyValue {
        try object.checkContext()
        let shape = object.shape
        guard let index = shape.entity.propertyIndex(named: key) else {
            return .list(try object.fetchedObjects(forKey: key).map { .object($0.objectID) })
        }
        object.noteReading(index)
        try object.fulfillFault()
        return try PropertyAccess(object).value(at: index, shape)
    }

    /// What ``ManagedObject/setPropertyValue(_:forKey:)`` does.
    func setPropertyValue(_ value: PropertyValue, forKey key: String) throws {
        try object.checkContext()
        let shape = object.shape
        guard let index = shape.entity.propertyIndex(named: key) else {
            throw GraphError.unknownKey(key, of: shape.entity)
        }
        try object.fulfillFault()
        guard let relation = shape.relations[index] else {
            try PropertyAccess(object).setAttribute(value, index, shape)
            return
        }
        switch value {
        case .null: try setRelationship(nil, relation, shape)
        case .object(let id) where !relation.isToMany:
            try setRelationship(object.context.existingObject(with: id), relation, shape)
        case .list(let values) where relation.isToMany:
            let members = try values.map { value -> ManagedObject in
                guard case .object(let id) = value else {
                    throw GraphError.wrongType(value.typeName, for: relation.property, of: shape.entity)
                }
                return try object.context.existingObject(with: id)
            }
            try setRelationship(members, relation, shape)
        default: throw GraphError.wrongType(value.typeName, for: relation.property, of: shape.entity)
        }
    }

    private func setRelationship(_ value: Any?, _ relation: EntityShape.Relation, _ shape: EntityShape) throws {
        let access = PropertyAccess(object)
        if !relation.isToMany {
            guard value == nil || value is ManagedObject else {
                throw GraphError.wrongType("\(type(of: value))", for: relation.property, of: shape.entity)
            }
            let target = value as? ManagedObject
            try target.map { try access.check($0, relation, shape) }
            object.context.relationships.setTarget(object, relation, target)
            return
        }
        let members: [ManagedObject]
        switch value {
        case nil: members = []
        case let set as Set<ManagedObject> where !relation.isOrdered: members = Array(set)
        case let array as [ManagedObject]: members = array
        default: throw GraphError.wrongType("\(type(of: value))", for: relation.property, of: shape.entity)
        }
        for member in members { try access.check(member, relation, shape) }
        object.context.relationships.replaceMembers(of: object, relation, by: members)
    }

    // MARK: Primitive values

    /// What ``ManagedObject/primitiveValue(forKey:)`` gives.
    package func primitiveValue(forKey key: String) -> Any? {
        guard object.registryReference != nil else { return nil }
        let (shape, index) = knownProperty(key)
        return object.cells == nil ? nil : presentValue(at: index, shape)
    }

    /// What ``ManagedObject/setPrimitiveValue(_:forKey:)`` does.
    package func setPrimitiveValue(_ value: Any?, forKey key: String) {
        let (shape, index) = knownProperty(key)
        guard object.fireFault() else { return }
        let tracker = object.context.tracker
        tracker.untrackedDepth += 1
        defer { tracker.untrackedDepth -= 1 }
        setValue(value, forKey: shape.entity.properties[index].name)
    }

    /// Notes that the value of a key is about to change, as setting it would.
    func noteChange(forKey key: String) {
        guard object.registryReference != nil else { return }
        let shape = object.shape
        guard let index = shape.entity.propertyIndex(named: key), !shape.entity.properties[index].isToMany,
            object.fireFault()
        else { return }
        object.noteWriting(shape.layout.slots[index])
    }

    // MARK: Lookup

    /// The value of a property of an object with a row.
    private func presentValue(at index: Int, _ shape: EntityShape) -> Any? {
        guard let relation = shape.relations[index] else {
            return object.row.value(shape.layout.slots[index]).plain
        }
        if !relation.isToMany { return object.context.registry.target(object, relation.slot) }
        let members = object.context.members.loadedList(object, relation).members
        return relation.isOrdered ? Array(members) : Set(members)
    }

    private func knownProperty(_ key: String) -> (EntityShape, Int) {
        let shape = object.shape
        guard let index = shape.entity.propertyIndex(named: key) else {
            preconditionFailure(GraphError.unknownKey(key, of: shape.entity).message)
        }
        return (shape, index)
    }

    func fetchedProperty(named name: String) -> FetchedPropertyDescription? {
        object.entity.fetchedProperties.first { $0.name == name }
    }

    /// The objects of a fetched property, for an accessor that does not throw. Empty if the fetch
    /// fails; the next save then throws the error.
    private func fetchedObjects(of property: FetchedPropertyDescription) -> [ManagedObject] {
        do {
            return try object.context.fetching.fetchObjects(of: property, source: object)
        } catch {
            object.context.note(error)
            return []
        }
    }
}

extension ManagedObject {
    final var keyed: KeyedValues { KeyedValues(self) }
}
