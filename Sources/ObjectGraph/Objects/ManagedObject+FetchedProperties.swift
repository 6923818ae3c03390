import Query
import Schema

extension ManagedObject {
    /// The objects that a fetched property finds, in the order that its request gives them.
    ///
    /// The request runs at every reading, unsaved changes included; Core Data's documentation speaks of a result that is kept until the object is refreshed.
    /// In its predicate `$FETCH_SOURCE` is this object and `$FETCHED_PROPERTY` the property, of which `name` and `userInfo.key` can be asked.
    /// - Throws: ``GraphError`` with code `unknownKey`; what reading the predicate and fetching throw.
    public final func fetchedObjects(forKey key: String) throws -> [ManagedObject] {
        try checkContext()
        guard let property = fetchedProperty(named: key) else { throw GraphError.unknownKey(key, of: entity, kind: "fetched property") }
        return try fetchedObjects(of: property)
    }

    final func fetchedProperty(named name: String) -> FetchedPropertyDescription? {
        entity.fetchedProperties.first { $0.name == name }
    }

    final func fetchedObjects(of property: FetchedPropertyDescription) throws -> [ManagedObject] {
        var template = property.fetchRequest
        template.predicateFormat = nil
        var request = try FetchRequest<ManagedObject>(template: template)
        if let format = property.fetchRequest.predicateFormat {
            let description = PropertyValue.composite(["name": .string(property.name), "userInfo": .composite(property.userInfo.mapValues { .string($0) })])
            request.predicate = try FetchPredicate(format: format).binding(["FETCH_SOURCE": .object(self), "FETCHED_PROPERTY": .scalar(description)])
        }
        return try context.fetch(request)
    }

    /// The same for an accessor that can't throw; nothing where the fetch fails, and the next save throws why.
    final func fetchedObjectsOrNone(of property: FetchedPropertyDescription) -> [ManagedObject] {
        do {
            return try fetchedObjects(of: property)
        } catch {
            context.noteLoadError(error)
            return []
        }
    }
}
