public import Query
public import Schema

extension ManagedObjectContext {
    /// All objects of an entity, its sub-entities included, that match.
    public func all<Result: ManagedObject>(
        _ entityName: String, matching predicate: FetchPredicate? = nil, sortedBy sortKeys: [SortKey] = []
    ) throws -> [Result] {
        var request = FetchRequest<Result>(entityName)
        request.predicate = predicate
        request.sortKeys = sortKeys
        return try fetch(request)
    }

    /// The first object that matches; nil if there is none.
    public func first<Result: ManagedObject>(
        _ entityName: String, matching predicate: FetchPredicate? = nil, sortedBy sortKeys: [SortKey] = []
    ) throws -> Result? {
        var request = FetchRequest<Result>(entityName)
        request.predicate = predicate
        request.sortKeys = sortKeys
        request.fetchLimit = 1
        return try fetch(request).first
    }

    /// The object with a value of an attribute, or a new one with it.
    ///
    /// ```swift
    /// let tag = try context.findOrCreate("Tag", where: "word", is: .string("new"))
    /// ```
    public func findOrCreate(_ entityName: String, where key: String, is value: PropertyValue) throws -> ManagedObject {
        if let found: ManagedObject = try first(
            entityName, matching: .comparison(Comparison(.keyPath(key), .equal, .constant(value))))
        {
            return found
        }
        let object = try insert(entityName)
        try object.setPropertyValue(value, forKey: key)
        return object
    }

    /// How many objects of an entity, its sub-entities included, match.
    public func count(_ entityName: String, matching predicate: FetchPredicate? = nil) throws -> Int {
        var request = FetchRequest<ManagedObject>(entityName)
        request.predicate = predicate
        return try count(for: request)
    }

    /// Deletes all objects of an entity that match, one by one and undoably. Returns how many. A
    /// ``BatchDeleteRequest`` reads none of them.
    @discardableResult
    public func deleteAll(_ entityName: String, matching predicate: FetchPredicate? = nil) throws -> Int {
        let objects: [ManagedObject] = try all(entityName, matching: predicate)
        for object in objects { delete(object) }
        return objects.count
    }

    /// Saves if there are changes. Returns whether there were.
    /// - Throws: as ``save()`` does.
    @discardableResult
    public func saveIfChanged() throws -> Bool {
        guard hasChanges else { return false }
        try save()
        return true
    }
}

extension ManagedObject {
    /// Deletes the object, as ``ManagedObjectContext/delete(_:)`` does. Does nothing for an object
    /// without a context.
    public final func delete() {
        managedObjectContext?.delete(self)
    }
}
