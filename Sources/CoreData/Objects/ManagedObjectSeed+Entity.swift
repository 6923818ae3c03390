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
        return LoadedModels.entity(entity, of: model)
    }
}

extension LoadedModels {
    /// An entity by its name, in the model that was used last.
    static func entity(named name: String) -> NSEntityDescription {
        for model in all { if let found = model.entitiesByName[name] { return found } }
        preconditionFailure("No model in use has an entity named \(name)")
    }
}

extension NSManagedObjectModel {
    /// The entity of a class; nil where there is none, or more than one.
    func entity(of type: NSManagedObject.Type) -> NSEntityDescription? {
        let last = String(describing: type)
        let found = entities.filter { entity in
            guard let name = entity.content.entity.managedObjectClassName else { return false }
            return name.split(separator: ".").last.map(String.init) == last && ObjectClasses.type(named: name) == type
        }
        let concrete = found.filter { !$0.isAbstract }
        if concrete.count == 1 { return concrete[0] }
        if concrete.isEmpty, found.count == 1 { return found[0] }
        // Several entities may share a class: the one that is named as the class is meant.
        return found.first { $0.name == last }
    }
}
