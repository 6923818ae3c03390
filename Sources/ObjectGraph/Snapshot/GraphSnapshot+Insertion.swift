import Foundation
import Schema

extension GraphSnapshot {
    /// Inserts new objects with the values of the snapshot into a context. Nothing is saved.
    ///
    /// - Returns: The root objects, from which the snapshot was made.
    /// - Throws: ``GraphError`` for an entity, a property or a value that the context's model does
    ///   not allow, with the object's ID in the snapshot; with code `objectNotFound` for a
    ///   reference without an object. No object is inserted then.
    @discardableResult
    public func insert(into context: ManagedObjectContext) throws -> [ManagedObject] {
        try insert(into: context, adopting: nil)
    }

    /// - Parameter root: An existing object to use for the only root.
    func insert(into context: ManagedObjectContext, adopting root: ManagedObject?) throws -> [ManagedObject] {
        var made: [String: ManagedObject] = [:]
        do {
            for object in objects {
                let new =
                    try object.id == roots.first ? root ?? context.insert(object.entity) : context.insert(object.entity)
                if let twin = made.updateValue(new, forKey: object.id) {
                    context.delete(twin)
                    throw GraphError(
                        .wrongType, "Two objects of the snapshot are called \(object.id)", entity: object.entity)
                }
            }
            for object in objects { if let new = made[object.id] { try fill(new, from: object) } }
            for object in objects {
                if let new = made[object.id] { try link(new, as: object, among: made, in: context) }
            }
            return try roots.map { id in
                guard let object = made[id] else {
                    throw GraphError(.objectNotFound, "The snapshot has no object \(id)")
                }
                return object
            }
        } catch {
            for object in made.values { context.delete(object) }
            throw error
        }
    }

    private func fill(_ object: ManagedObject, from source: Object) throws {
        let shape = object.shape
        for name in source.attributes.keys where shape.entity.property(named: name)?.attribute == nil {
            throw GraphError.unknownKey(name, of: shape.entity, kind: "attribute").about(source)
        }
        for property in shape.entity.properties where !property.isTransient {
            guard let attribute = property.attribute, !attribute.isDerived else { continue }
            guard let value = source.attributes[property.name] else {
                try object.setPropertyValue(.null, forKey: property.name)
                continue
            }
            guard let plain = value.value(of: attribute, in: shape.model) else {
                throw GraphError.wrongType("\(value)", for: property, of: shape.entity).about(source)
            }
            try object.setPropertyValue(plain, forKey: property.name)
        }
    }

    private func link(
        _ object: ManagedObject, as source: Object, among made: [String: ManagedObject],
        in context: ManagedObjectContext
    ) throws {
        func target(_ id: String) throws -> PropertyValue {
            if let object = made[id] { return .object(object.objectID) }
            guard let known = context.persistentStoreCoordinator.managedObjectID(text: id), id.contains("://") else {
                throw GraphError(
                    .objectNotFound, "\(source.id) leads to \(id), which is neither in the snapshot nor in the store",
                    entity: source.entity)
            }
            return .object(known)
        }
        let entity = object.entity
        for (name, id) in source.toOne {
            guard entity.property(named: name)?.relationship?.isToMany == false else {
                throw GraphError.unknownKey(name, of: entity, kind: "to-one relationship").about(source)
            }
            try object.setPropertyValue(target(id), forKey: name)
        }
        for (name, ids) in source.toMany {
            guard entity.property(named: name)?.isToMany == true else {
                throw GraphError.unknownKey(name, of: entity, kind: "to-many relationship").about(source)
            }
            try object.setPropertyValue(.list(ids.map(target)), forKey: name)
        }
    }
}

extension GraphError {
    /// The same error, with the ID of an object of the snapshot in its message.
    fileprivate func about(_ object: GraphSnapshot.Object) -> GraphError {
        var error = self
        error.message = "\(object.id): \(message)"
        return error
    }
}
