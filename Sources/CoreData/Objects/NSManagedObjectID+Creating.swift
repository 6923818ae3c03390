import ObjectGraph
public import Schema

extension NSEntityDescription {
    /// An entity for objects of which no model knows.
    static var withoutProperties: NSEntityDescription {
        guard let entity = modelOfOne.entitiesByName["NSManagedObject"] else {
            preconditionFailure("The model has the entity that it was made with")
        }
        return entity
    }

    // Safe because nothing changes a model that is in use.
    nonisolated(unsafe) private static let modelOfOne: NSManagedObjectModel = {
        let model = NSManagedObjectModel(), entity = NSEntityDescription()
        entity.name = "NSManagedObject"
        model.entities = [entity]
        _ = model.compiled()
        return model
    }()
}

extension ManagedObjectID {
    /// Creates an ID of no object, which is unlike any other.
    public init() { self = NSManagedObject.loose(NSManagedObject.self, .withoutProperties).objectID }
}
