import ObjectGraph
import Schema

extension ManagedObjectSeed {
    /// The entity of the object to be made, with the seed in it.
    var describedEntity: NSEntityDescription {
        NSEntityDescription(context.describedEntity(entity).content, seed: self)
    }
}

extension ManagedObjectContext {
    /// Core Data's description of an entity of the context's model.
    func describedEntity(_ entity: EntityDescription) -> NSEntityDescription {
        if let own = companion as? NSManagedObjectContext { return own.describedEntity(entity) }
        return NSEntityDescription.of(entity, in: model)
    }
}
